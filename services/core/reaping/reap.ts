import type { EndReason } from '../../contract/end-reasons.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { settledMs } from '../../store/database-time.ts';
import { locateDue, postpone, setDeadline } from '../../store/tables/sessions.ts';
import { nextDeadline } from '../sessions/deadline.ts';
import { type EndDeps, endIfDue, type Judge } from '../sessions/end.ts';
import { atOnce } from './at-once.ts';
import { answers, calmAfterMs, type Outages } from './outages.ts';

export interface ReapDeps extends EndDeps {
  outages: Outages;
  /** A session that can't be judged must not hold up the others. */
  onFault(session: string, error: unknown): void;
}

/** So many sessions are read at a time: several workers share what is due. */
const batch = 100;
/** After an outage thousands may be due at once: a look takes so many batches, and asks before each whether it is calm. */
const batchesOfLook = 10;
/** A session that could not be judged is looked at again after this. */
const postponedMs = 15_000;

/** An outage of ours looks like these, and must not end a conversation. */
const endedByAbsence: ReadonlySet<EndReason> = new Set(['participant_left', 'idle_timeout', 'agent_unavailable']);

/** In so many transactions at once, so that one that waits for a lock holds up few. */
const judgedAtOnce = 8;

/**
 * Ends the sessions whose time is up and moves the deadline of those that went on meanwhile. Several workers may do this at
 * once: each judges what no other has locked. Returns the reasons of the sessions ended now.
 * @throws when the database does not answer, which is noted as an outage
 */
export async function reapDueSessions(deps: ReapDeps): Promise<EndReason[]> {
  try {
    return await reap(deps);
  } catch (error) {
    if (!(await answers(deps.db))) deps.outages.note();
    throw error;
  }
}

async function reap(deps: ReapDeps): Promise<EndReason[]> {
  const ended: EndReason[] = [];
  const seen = new Set<string>();
  for (let nth = 0; nth < batchesOfLook; nth += 1) {
    const due = await locateDue(deps.db, batch);
    const fresh = due.filter(({ session_id: session }) => !seen.has(session));
    // What somebody else is at stays due: a batch of nothing else is the last.
    if (fresh.length === 0) break;
    const judge = judgeAfter(Math.max(deps.outages.calmInMs(), calmAfterMs - (await settledMs(deps.db))));
    await atOnce(judgedAtOnce, fresh, async (session) => {
      seen.add(session.session_id);
      const reason = await reapOne(deps, session, judge);
      if (reason) ended.push(reason);
    });
    if (due.length < batch) break;
  }
  return ended;
}

async function reapOne(
  deps: ReapDeps,
  { session_id: session, tenant_id: tenant }: { session_id: string; tenant_id: string },
  judge: Judge,
): Promise<EndReason | undefined> {
  try {
    return await endIfDue(deps, { tenant, session, source: 'reaper' }, judge);
  } catch (error) {
    if (!(await answers(deps.db))) throw error;
    deps.onFault(session, error);
    // The longest overdue come first: those that fail again and again would be all that a look sees.
    const later = deps.db.asTenant(tenant, (tx) => postpone(tx, { id: session, ms: postponedMs }));
    await bestEffort('it is looked at again a second later instead', later);
    return undefined;
  }
}

/** Ends those whose deadline has passed, unless absence counts only in `calmMs` more; moves the deadline of the others. */
const judgeAfter =
  (calmMs: number): Judge =>
  async (tx, { session, limits, presence, now }) => {
    if (!limits) return undefined;
    const { at, reason, endsAt } = nextDeadline(session, limits, presence);
    if (at <= now && !(calmMs > 0 && endedByAbsence.has(reason))) return { reason, at: endsAt };
    await setDeadline(tx, { id: session.id, at: at > now ? at : new Date(now.getTime() + calmMs) });
    return undefined;
  };
