import type { SessionDetails } from '../../contract/answers.ts';
import type { Database, Tx } from '../../store/database.ts';
import { listEvents } from '../../store/tables/events.ts';
import { listMessages } from '../../store/tables/messages.ts';
import { listPresence } from '../../store/tables/presence.ts';
import { findSession, locateSession } from '../../store/tables/sessions.ts';
import { listToolCalls } from '../../store/tables/tool-calls.ts';

/** Everything stored about a session; undefined when there is no such session. */
export async function readSessionDetails(db: Database, id: string): Promise<SessionDetails | undefined> {
  const tenant = await locateSession(db, id);
  return tenant ? db.asTenant(tenant, (tx) => detailsOf(tx, id)) : undefined;
}

/** As `readSessionDetails`, for whoever knows the tenant. */
export async function detailsOf(tx: Tx, id: string): Promise<SessionDetails | undefined> {
  const session = await findSession(tx, id);
  if (!session) return undefined;
  return {
    status: session.status,
    endReason: session.end_reason,
    startedAt: session.started_at,
    endedAt: session.ended_at,
    durationSeconds: session.duration_seconds,
    billedSeconds: session.billed_seconds,
    finishedAt: session.finished_at,
    summary: session.summary,
    outcome: session.outcome,
    sentiment: session.sentiment,
    messages: (await listMessages(tx, id)).map(({ turn, role, content, at, interrupted, mode, timing }) => ({
      ...{ turn, role, content, at },
      ...{ interrupted, mode, timing },
    })),
    toolCalls: (await listToolCalls(tx, id)).map((call) => ({
      turn: call.turn,
      name: call.name,
      arguments: call.arguments,
      status: call.status,
      result: call.result,
      startedAt: call.started_at,
      finishedAt: call.finished_at,
    })),
    presence: (await listPresence(tx, id)).map((stay) => ({
      role: stay.role,
      joinedAt: stay.joined_at,
      leftAt: stay.left_at,
    })),
    events: (await listEvents(tx, id)).map(({ at, kind, source }) => ({ at, kind, source })),
  };
}
