import { bestEffort } from '../../process/best-effort.ts';
import { ifLate, within } from '../../process/within.ts';
import type { Database } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';

export interface Readiness {
  /** Resolves true as soon as the session's agent is in its room, false after `timeoutMs`. */
  wait(tenant: string, sessionId: string, timeoutMs: number): Promise<boolean>;
  /** A notice of the `ready` channel came. */
  heard(sessionId: string): void;
}

/** A notice can be lost (LISTEN is down for a moment): look by ourselves this often too. */
const pollMs = 150;

export function makeReadiness(db: Database): Readiness {
  const waiting = new Map<string, () => void>();

  const isReady = (tenant: string, sessionId: string) =>
    db.asTenant(tenant, async (tx) => {
      const rows = await tx.query(
        sql`select 1 from sessions where id = ${sessionId} and agent_ready_at is not null and status <> 'ended'`,
      );
      return rows.length > 0;
    });

  return {
    wait: async (tenant, sessionId, timeoutMs) => {
      const ready = Promise.withResolvers<true>();
      const settle = () => ready.resolve(true);
      const look = () =>
        bestEffort(
          'the next look asks again',
          isReady(tenant, sessionId).then((isThere) => isThere && settle()),
        );
      const poll = setInterval(look, pollMs);
      waiting.set(sessionId, settle);
      try {
        return await within(timeoutMs, 'the agent', ready.promise).catch(ifLate(false));
      } finally {
        clearInterval(poll);
        waiting.delete(sessionId);
      }
    },
    heard: (sessionId) => waiting.get(sessionId)?.(),
  };
}
