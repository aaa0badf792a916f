import type { EndReason } from '../../contract/session.ts';
import { isDatabaseUnavailable, type Tx } from '../../store/database.ts';
import { one, type Queryable, sql } from '../../store/sql.ts';
import { findVersion } from '../../store/tables/agents.ts';
import { listPresence } from '../../store/tables/presence.ts';
import { locateDue, lockSession, setDeadline } from '../../store/tables/sessions.ts';
import { type Deadline, nextDeadline } from '../sessions/deadline.ts';
import { type EndDeps, endSession } from '../sessions/end.ts';
import { calmAfterMs, type Outages } from './outages.ts';

export interface ReapDeps extends EndDeps {
  outages: Outages;
  /** A session that can't be judged must not hold up the others. */
  onFault(session: string, error: unknown): void;
}

/** So many sessions a look: several workers share what is due, and each look stays short. */
const batch = 100;

/** An outage of ours looks like these, and must not end a conversation. */
const endedByAbsence: ReadonlySet<EndReason> = new Set(['participant_left', 'idle_timeout', 'agent_unavailable']);

/**
 * Ends the sessions whose time is up and moves the deadline of those that went on meanwhile. Several workers may do this at
 * once: the row is locked while it is judged, and ending is idempotent. Returns the reasons of the sessions ended now.
 */
export async function reapDueSessions(deps: ReapDeps): Promise<EndReason[]> {
  const time = await databaseTime(deps.db);
  const calmAt = new Date(time.now.getTime() + Math.max(deps.outages.calmInMs(), calmAfterMs - time.upMs));
  const ended: EndReason[] = [];
  for (const { session_id: session, tenant_id: tenant } of await locateDue(deps.db, batch)) {
    try {
      const due = await deps.db.asTenant(tenant, (tx) => judge(tx, session, { now: time.now, calmAt }));
      if (!due) continue;
      await endSession(deps, { tenant, session, reason: due.reason, source: 'reaper', at: due.endsAt });
      ended.push(due.reason);
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      deps.onFault(session, error);
    }
  }
  return ended;
}

/** The deadline that has passed, or undefined when the session goes on. */
async function judge(tx: Tx, id: string, { now, calmAt }: { now: Date; calmAt: Date }): Promise<Deadline | undefined> {
  const session = await lockSession(tx, id);
  if (!session || session.status === 'ended') return undefined;
  const version = await findVersion(tx, session.agent, session.version_hash);
  if (!version) return undefined;
  const deadline = nextDeadline(session, version.definition.limits, await listPresence(tx, id));
  if (deadline.at <= now && !(endedByAbsence.has(deadline.reason) && calmAt > now)) return deadline;
  await setDeadline(tx, { id, at: deadline.at > now ? deadline.at : calmAt });
  return undefined;
}

const databaseTime = async (q: Queryable) => {
  const { now, up_ms: upMs } = await one<{ now: Date; up_ms: number }>(
    q,
    sql`select clock_timestamp() as now,
      (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::float8 as up_ms`,
  );
  return { now, upMs };
};
