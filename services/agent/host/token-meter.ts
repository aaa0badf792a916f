import type { Database } from '../../store/database.ts';
import { addTokens } from '../../store/tables/usage.ts';

const flushEveryMs = 2_000;

export interface TokenMeter {
  count(agent: { tenant: string; agent: string }, tokens: number): void;
  /** Writes what is counted; called by itself every two seconds. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** An agent's tokens of the day are one row for all its sessions: a host adds them up and writes them together. */
export function makeTokenMeter(db: Database): TokenMeter {
  let counted = new Map<string, { tenant: string; agent: string; tokens: number }>();
  const count: TokenMeter['count'] = ({ tenant, agent }, tokens) => {
    if (tokens <= 0) return;
    const key = `${tenant}/${agent}`;
    counted.set(key, { tenant, agent, tokens: tokens + (counted.get(key)?.tokens ?? 0) });
  };
  const flush = async () => {
    const due = counted;
    counted = new Map();
    for (const entry of due.values()) {
      // What could not be written is counted again.
      await db.asTenant(entry.tenant, (tx) => addTokens(tx, entry)).catch(() => count(entry, entry.tokens));
    }
  };
  const timer = setInterval(() => void flush(), flushEveryMs);
  return {
    count,
    flush,
    stop: async () => {
      clearInterval(timer);
      await flush();
    },
  };
}
