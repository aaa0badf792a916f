import { bestEffort } from '../../process/best-effort.ts';
import type { Database } from '../../store/database.ts';
import { locateKey, touchKey } from '../../store/tables/credentials.ts';
import { type LiveAgent, loadLiveAgent } from '../agents/live-agent.ts';
import { hashKey } from './credentials.ts';

/** So short that a revoked key is refused within a second even where the notice of its revocation was lost. */
const freshMs = 500;
const maxEntries = 10_000;
const touchEveryMs = 60_000;

export interface KeyCache {
  /** The agent of a key, as it is now (at most 500 ms ago); undefined for an unknown or revoked key. */
  find(key: string): Promise<{ agent: LiveAgent; keyHash: Buffer } | undefined>;
  /** Forget what is known: an agent or its credentials changed. */
  clear(): void;
}

interface Entry {
  at: number;
  touchedAt: number;
  agent: Promise<LiveAgent | undefined>;
  keyHash: Buffer;
}

export function makeKeyCache(db: Database): KeyCache {
  const entries = new Map<string, Entry>();

  const load = async (keyHash: Buffer) => {
    const owner = await locateKey(db, keyHash);
    return owner && loadLiveAgent(db, owner.tenant_id, owner.agent);
  };
  const refresh = (key: string, known: Entry | undefined): Entry => {
    if (entries.size >= maxEntries) entries.clear();
    const keyHash = known?.keyHash ?? hashKey(key);
    const entry = {
      at: performance.now(),
      touchedAt: known?.touchedAt ?? Number.NEGATIVE_INFINITY,
      agent: load(keyHash),
      keyHash,
    };
    entries.set(key, entry);
    // A failed look-up is not an answer: the next request asks again.
    entry.agent.catch(() => entries.delete(key));
    return entry;
  };
  const touch = (entry: Entry, agent: LiveAgent) => {
    if (performance.now() - entry.touchedAt < touchEveryMs) return;
    entry.touchedAt = performance.now();
    const touched = db.asTenant(agent.tenant, (tx) => touchKey(tx, entry.keyHash));
    void bestEffort('a later use of the key writes it down', touched);
  };

  return {
    find: async (key) => {
      const known = entries.get(key);
      const entry = known && performance.now() - known.at < freshMs ? known : refresh(key, known);
      const agent = await entry.agent;
      if (!agent) return undefined;
      touch(entry, agent);
      return { agent, keyHash: entry.keyHash };
    },
    clear: () => entries.clear(),
  };
}
