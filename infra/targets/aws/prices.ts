import type { CacheType, DatabaseClass, InstanceType } from './plan.ts';

/**
 * Prices in US dollars, on demand, without tax: what a plan costs before it is spent, roughly. They are from memory: nobody could
 * reach AWS's price list where they were written. To make them yours, put in what your bill says, or that list, which anybody may read:
 * https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/index.json names a file for each offer (AmazonEC2, AmazonRDS,
 * AmazonElastiCache, AmazonEKS, …) and region. Then say in `notedAt` and `source` when and where you have them from: every plan tells it.
 */
export const prices = {
  notedAt: '2026-11',
  region: 'eu-west-1',
  source: "from memory, not compared with AWS's price list",
  hourly: {
    cluster: 0.1,
    natGateway: 0.048,
    balancer: 0.0252,
    publicAddress: 0.005,
    nodes: { 'c7i.large': 0.0956, 'c7i.xlarge': 0.1911, 'm7i.large': 0.1124 } satisfies Record<InstanceType, number>,
    /** One instance; a standby in another zone costs the same again. */
    database: {
      'db.t4g.medium': 0.073,
      'db.m7g.large': 0.186,
      'db.m7g.xlarge': 0.372,
      'db.m7g.2xlarge': 0.744,
      'db.m7g.4xlarge': 1.488,
      'db.m7g.8xlarge': 2.976,
    } satisfies Record<DatabaseClass, number>,
    cache: { 'cache.t4g.small': 0.0272 } satisfies Record<CacheType, number>,
  },
  monthly: { secret: 0.4, key: 1, nodeDiskGib: 0.088, databaseGib: 0.127 },
  /** A GB that leaves AWS, and one that passes a NAT gateway. */
  traffic: { outGb: 0.09, natGb: 0.048 },
};

/** What a spoken minute moves: sound to the person (Opus, with its headers), and sound to and from the providers of speech. */
export const voiceMinuteMb = { toPerson: 0.45, withProviders: 2.5 };
