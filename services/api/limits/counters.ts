import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit';
import { Redis } from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import type { Logger } from '../../process/logger.ts';
import { within } from '../../process/within.ts';

/** Where requests are counted. */
export interface Counters extends Store {
  close(): Promise<void>;
}

export interface SharedCountersOptions {
  redisUrl: string;
  log: Logger;
  /** Told whenever this replica begins (true) or stops (false) counting for itself. */
  onAlone: (alone: boolean) => void;
  /** Told of each request that it counts for itself. */
  onCountedAlone: () => void;
}

/** Longer than this no request waits for Redis, and none does once one has. */
const patienceMs = 500;
const connectTimeoutMs = 1_000;
/** A command without an answer for this long is given up, so that none pile up on a connection that is cut. */
const commandTimeoutMs = 5_000;
const probeEveryMs = 500;
const longestRetryMs = 1_000;

/**
 * MemoryStore answers with the very object that it counts on with: of requests at once each would take itself for the last,
 * and too many be refused where the limit is reached. The number is read in the moment in which it is this request's.
 */
class OwnStore extends MemoryStore {
  override async increment(key: string): Promise<ClientRateLimitInfo> {
    const counted = super.increment(key);
    const client = this.current.get(key);
    return client ? { totalHits: client.totalHits, resetTime: client.resetTime } : counted;
  }
}

/** In this process's memory: right for a single process. */
export function ownCounters(): Counters {
  const memory = new OwnStore();
  return Object.assign(memory, { close: async () => memory.shutdown() });
}

/**
 * In Redis, so that all replicas count together. While Redis does not answer this replica counts for itself: nobody is
 * refused, or waits, because of it. Why no package does this: docs/decisions/0018.
 */
export function sharedCounters({ redisUrl, log, onAlone, onCountedAlone }: SharedCountersOptions): Counters {
  const redis = new Redis(redisUrl, {
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, longestRetryMs),
  });
  const own = new OwnStore();
  let shared: RedisStore | undefined;
  let options: Options | undefined;
  let probe: NodeJS.Timeout | undefined;
  let alone = false;

  const countAlone = () => {
    shared = undefined;
    if (alone) return;
    alone = true;
    onAlone(true);
    log.warn('requests are counted by each replica for itself, because Redis does not answer');
  };
  const countTogether = async () => {
    clearTimeout(probe);
    if (!options) return;
    // A store whose script could not be loaded stays useless, so each attempt gets one of its own.
    const store = new RedisStore({
      prefix: 'parley:requests:',
      sendCommand: async (command, ...rest) => (await redis.call(command, ...rest)) as string | number,
    });
    try {
      await store.init(options);
    } catch {
      return probeSoon();
    }
    shared = store;
    if (alone) log.info('requests are counted together in Redis again');
    alone = false;
    onAlone(false);
  };
  const incrementAlone = (key: string) => {
    onCountedAlone();
    return own.increment(key);
  };
  /** Requests go on meanwhile: looking whether Redis is back is nobody's wait. */
  const probeSoon = () => {
    countAlone();
    clearTimeout(probe);
    // A connection that is made again begins by itself.
    probe = setTimeout(() => void (redis.status === 'ready' && countTogether()), probeEveryMs);
    probe.unref();
  };
  redis.on('error', () => undefined);
  redis.on('ready', () => void countTogether());
  redis.on('close', countAlone);

  return {
    localKeys: false,
    init: (given) => {
      options = given;
      own.init(given);
      if (redis.status === 'ready') void countTogether();
    },
    increment: async (key): Promise<ClientRateLimitInfo> => {
      const store = shared;
      if (!store) return incrementAlone(key);
      try {
        return await within(patienceMs, 'Redis', store.increment(key));
      } catch {
        if (shared === store) probeSoon();
        return incrementAlone(key);
      }
    },
    decrement: async (key) => own.decrement(key),
    resetKey: async (key) => own.resetKey(key),
    close: async () => {
      clearTimeout(probe);
      own.shutdown();
      redis.disconnect();
    },
  };
}
