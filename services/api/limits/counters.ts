import { type ClientRateLimitInfo, MemoryStore, type Options, type Store } from 'express-rate-limit';
import { Redis } from 'ioredis';
import { RedisStore } from 'rate-limit-redis';
import type { Logger } from '../../core/logger.ts';

/** Where requests are counted. */
export interface Counters extends Store {
  close(): Promise<void>;
}

export interface SharedCountersOptions {
  redisUrl: string;
  log: Logger;
  /** Told whenever this replica begins (true) or stops (false) counting for itself. */
  onAlone: (alone: boolean) => void;
}

/** Longer than this nobody waits for Redis. */
const commandTimeoutMs = 150;
const connectTimeoutMs = 1_000;
/** After a failed count, Redis is left alone for this long. */
const restMs = 1_000;
const longestRetryMs = 1_000;

/** In this process's memory: right for a single process. */
export function ownCounters(): Counters {
  const memory = new MemoryStore();
  return Object.assign(memory, { close: async () => memory.shutdown() });
}

/**
 * In Redis, so that all replicas count together. While Redis does not answer this replica counts for itself: nobody is
 * refused, or waits, because of it.
 */
export function sharedCounters({ redisUrl, log, onAlone }: SharedCountersOptions): Counters {
  const redis = new Redis(redisUrl, {
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, longestRetryMs),
  });
  const own = new MemoryStore();
  let shared: RedisStore | undefined;
  let restsUntil = 0;
  let options: Options | undefined;
  let alone = false;

  const tell = (now: boolean) => {
    if (alone === now) return;
    alone = now;
    onAlone(now);
    if (now) log.warn('requests are counted by each replica for itself, because Redis does not answer');
    else log.info('requests are counted together in Redis again');
  };
  const adopt = async () => {
    if (!options) return;
    // A store whose script could not be loaded stays useless, so each connection gets one of its own.
    const store = new RedisStore({
      prefix: 'parley:requests:',
      sendCommand: async (command, ...rest) => (await redis.call(command, ...rest)) as string | number,
    });
    await store.init(options);
    shared = store;
    restsUntil = 0;
    tell(false);
  };
  const rest = () => {
    restsUntil = performance.now() + restMs;
    tell(true);
  };
  redis.on('error', () => undefined);
  redis.on('ready', () => void adopt().catch(rest));
  redis.on('close', () => {
    shared = undefined;
    tell(true);
  });

  return {
    localKeys: false,
    init: async (given) => {
      options = given;
      own.init(given);
      if (redis.status === 'ready') await adopt().catch(rest);
    },
    increment: async (key): Promise<ClientRateLimitInfo> => {
      if (!shared || performance.now() < restsUntil) return own.increment(key);
      try {
        const count = await shared.increment(key);
        tell(false);
        return count;
      } catch {
        rest();
        return own.increment(key);
      }
    },
    decrement: async (key) => own.decrement(key),
    resetKey: async (key) => own.resetKey(key),
    close: async () => {
      own.shutdown();
      redis.disconnect();
    },
  };
}
