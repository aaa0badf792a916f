import { bestEffort } from '../../process/best-effort.ts';
import { remember } from '../../process/remember.ts';
import type { Database } from '../../store/database.ts';
import { touchKey } from '../../store/tables/credentials.ts';
import { type LiveAgent, loadAgentOfKey } from '../agents/live-agent.ts';
import { hashKey } from './credentials.ts';

/** So short that a revoked key is refused within a second even where the notice of its revocation was lost. */
const freshMs = 500;
/** A key that nobody has is given to nobody later: it would have to be guessed before it was made. */
const unknownForMs = 5_000;
const mostKnown = 10_000;
const mostUnknown = 10_000;
const touchEveryMs = 60_000;

export interface KeyOwner {
  agent: LiveAgent;
  keyHash: Buffer;
}

export interface KeyCache {
  /** The agent of a key, as it is now (at most 500 ms ago); undefined for an unknown or revoked key. */
  find(key: string): Promise<KeyOwner | undefined>;
  /** Whether the key was good when it was looked at last: then it is worth asking for again. */
  wasGood(key: string): boolean;
  /** Look again: an agent or its credentials changed. */
  clear(): void;
}

interface Entry extends KeyOwner {
  at: number;
  touchedAt: number;
}

/** Keys that are good and keys that nobody has are remembered apart: however many of these come, those stay. */
export function makeKeyCache(db: Database): KeyCache {
  const good = new Map<string, Entry>();
  const unknown = new Map<string, number>();
  const asking = new Map<string, Promise<Entry | undefined>>();
  /** What was asked before somebody said that something changed is not kept. */
  let changes = 0;

  const ask = async (key: string): Promise<Entry | undefined> => {
    const [before, at] = [changes, performance.now()];
    const known = good.get(key);
    const keyHash = known?.keyHash ?? hashKey(key);
    const agent = await loadAgentOfKey(db, keyHash, known?.agent);
    if (!agent) {
      good.delete(key);
      if (before === changes) remember(unknown, key, at, mostUnknown);
      return undefined;
    }
    const touchedAt = known?.touchedAt ?? Number.NEGATIVE_INFINITY;
    const entry = { at: before === changes ? at : Number.NEGATIVE_INFINITY, touchedAt, agent, keyHash };
    remember(good, key, entry, mostKnown);
    return entry;
  };
  /** Whoever asks for the same key meanwhile gets the same answer. A failed look-up is none: the next request asks again. */
  const askOnce = (key: string): Promise<Entry | undefined> => {
    const asked = asking.get(key) ?? ask(key).finally(() => asking.get(key) === asked && asking.delete(key));
    asking.set(key, asked);
    return asked;
  };
  const touch = (entry: Entry) => {
    if (performance.now() - entry.touchedAt < touchEveryMs) return;
    entry.touchedAt = performance.now();
    const touched = db.asTenant(entry.agent.tenant, (tx) => touchKey(tx, entry.keyHash));
    void bestEffort('a later use of the key writes it down', touched);
  };

  return {
    find: async (key) => {
      const now = performance.now();
      if (now - (unknown.get(key) ?? Number.NEGATIVE_INFINITY) < unknownForMs) return undefined;
      const known = good.get(key);
      const entry = known && now - known.at < freshMs ? known : await askOnce(key);
      if (!entry) return undefined;
      touch(entry);
      return { agent: entry.agent, keyHash: entry.keyHash };
    },
    wasGood: (key) => good.has(key),
    clear: () => {
      changes += 1;
      unknown.clear();
      asking.clear();
      for (const entry of good.values()) entry.at = Number.NEGATIVE_INFINITY;
    },
  };
}
