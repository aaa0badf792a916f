import { bestEffort } from '../../process/best-effort.ts';
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
  const waiting = new Map<string, (ready: boolean) => void>();

  const isReady = (tenant: string, sessionId: string) =>
    db.asTenant(tenant, async (tx) => {
      const rows = await tx.query(
        sql`select 1 from sessions where id = ${sessionId} and agent_ready_at is not null and status <> 'ended'`,
      );
      return rows.length > 0;
    });

  return {
    wait: (tenant, sessionId, timeoutMs) =>
      new Promise((resolve) => {
        const settle = (ready: boolean) => {
          clearInterval(poll);
          clearTimeout(deadline);
          waiting.delete(sessionId);
          resolve(ready);
        };
        const poll = setInterval(() => {
          const looked = isReady(tenant, sessionId).then((ready) => ready && settle(true));
          void bestEffort('the next look asks again', looked);
        }, pollMs);
        const deadline = setTimeout(settle, timeoutMs, false);
        waiting.set(sessionId, settle);
      }),
    heard: (sessionId) => waiting.get(sessionId)?.(true),
  };
}
