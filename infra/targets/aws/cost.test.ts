import { expect, test } from 'vitest';
import { readTenant } from '../../config.ts';
import { costInWords, keepWithinBudget } from '../../cost.ts';
import { planTenant } from '../../plan.ts';
import { kubernetes } from '../kubernetes/target.ts';
import { aws } from './target.ts';

const image = `registry.test/x@sha256:${'0'.repeat(64)}`;

const planOf = (fields: Record<string, unknown>) =>
  planTenant(
    readTenant(
      'acme',
      Object.fromEntries(
        Object.entries({
          target: 'aws',
          domain: 'acme.example.com',
          images: { services: image, roomServer: image },
          aws: { hostedZone: 'example.com' },
          database: { certificateAuthority: 'rds.pem' },
          ...fields,
        }).map(([key, value]) => [`parley:${key}`, typeof value === 'string' ? value : JSON.stringify(value)]),
      ),
    ),
  );

const costOf = (plan: ReturnType<typeof planOf>) => {
  const { cost } = aws.finish(plan);
  if (!cost) throw new Error('a tenant on aws has a price');
  return cost;
};

const large = { capacity: { voice: 50, text: 500 } };
const small = { capacity: { voice: 5, text: 40, coldStart: 'allowed' } };
const guest = { ...small, foundation: { stack: 'acme/parley/shared', slot: 1 } };

test('the floor is the sum of its lines, each with what it is for', () => {
  const { floor, monthlyFloorUsd } = costOf(planOf(large));
  const sum = floor.reduce((total, { monthlyUsd }) => total + monthlyUsd, 0);
  expect(monthlyFloorUsd).toBeCloseTo(sum, 2);
  expect(floor.map(({ what }) => what)).toEqual([
    'cluster',
    '2 nodes for rooms (c7i.large)',
    '2 nodes for agents (c7i.xlarge)',
    '3 nodes for general (m7i.large)',
    'database (db.m7g.large, with a standby, 20 GiB)',
    'cache (2 × cache.t4g.small)',
    'load balancers, without their traffic',
    '3 NAT gateways',
    'public addresses',
    'secrets',
  ]);
  // Two c7i.large for a month at 0.0956 an hour, and their disks.
  expect(floor[1]?.monthlyUsd).toBeCloseTo(2 * (0.0956 * 730 + 50 * 0.088), 1);
});

test('more capacity never costs less, and a guest costs a fraction', () => {
  const floorOf = (fields: Record<string, unknown>) => costOf(planOf(fields)).monthlyFloorUsd;
  const floors = [10, 100, 1_000, 4_000].map((voice) => floorOf({ capacity: { voice, text: 0 } }));
  expect(floors).toEqual([...floors].sort((a, b) => a - b));
  expect(floorOf(guest)).toBeLessThan(floorOf(small) / 4);
});

test('spoken minutes cost their share of nodes, traffic and what providers are said to charge', () => {
  const own = costOf(planOf(large)).usdPer1000VoiceMinutes ?? 0;
  expect(own).toBeGreaterThan(0);
  const withProviders = costOf(planOf({ ...large, cost: { providersUsdPerMinute: 0.05 } })).usdPer1000VoiceMinutes ?? 0;
  expect(withProviders).toBeCloseTo(own + 50, 2);
  expect(costOf(planOf({ capacity: { voice: 0, text: 100 } })).usdPer1000VoiceMinutes).toBeUndefined();
});

test('a stack that costs more than its owner allows is refused by the name of the rule', () => {
  const cost = costOf(planOf(large));
  expect(() => keepWithinBudget(cost, { providersUsdPerMinute: 0, monthlyFloorUsd: 100 })).toThrow(
    /^Policy monthly-cost forbids this stack: it costs about [\d.]+ USD a month, and parley:cost\.monthlyFloorUsd allows 100\./,
  );
  expect(() => keepWithinBudget(cost, { providersUsdPerMinute: 0, monthlyFloorUsd: 10_000 })).not.toThrow();
  expect(() => keepWithinBudget(cost, { providersUsdPerMinute: 0 })).not.toThrow();
});

test('a preview shows it in words', () => {
  const words = costInWords(costOf(planOf(large)));
  expect(words).toMatch(
    /^About [\d.]+ USD a month while nobody talks \(prices of eu-west-1, noted 2026-11 from memory, /,
  );
  expect(words).toMatch(/\n1 000 spoken minutes cost about [\d.]+ USD more\.$/);
});

test('what a cluster of somebody else costs is not made up', () => {
  const plan = planOf(large);
  expect(kubernetes.finish(plan).cost).toBeUndefined();
});
