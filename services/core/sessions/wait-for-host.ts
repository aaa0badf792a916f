import { problems } from '../../contract/problems.ts';
import type { Clock } from '../../process/clock.ts';
import { awaitHost, type CreateResult, type SessionRow } from '../../store/tables/sessions.ts';
import type { Rooms } from '../rooms/rooms.ts';
import { agentDueAt } from './deadline.ts';
import { abandonSession, type EndDeps } from './end.ts';

/** For installations whose hosts go to zero while nobody talks (a tenant's `coldStart: allowed`). */
export interface ColdStart {
  /** So long a session waits for a host; then it ends as `agent_unavailable`. */
  seconds: number;
  /** So many sessions of a tenant wait; further ones are refused. */
  most: number;
}

interface WaitDeps extends EndDeps {
  rooms: Pick<Rooms, 'create' | 'close'>;
  coldStart: ColdStart | undefined;
  clock: Clock;
}

/**
 * Has a session that found no agent wait for a host, in its room: hosts make rooms, so here the API does, and its caller may
 * join at once. Seconds until the agent comes or the session ends; undefined when it may not wait.
 * @throws Problem `unavailable` when the room can't be made; then no session remains
 */
export async function waitForHost(
  deps: WaitDeps,
  tenant: string,
  { session_id: session, room_name: room }: Pick<CreateResult, 'session_id' | 'room_name'>,
): Promise<number | undefined> {
  if (!deps.coldStart) return undefined;
  const due = await awaitHost(deps.db, { tenant, session, ...deps.coldStart });
  if (!due) return undefined;
  try {
    await deps.rooms.create(room);
  } catch {
    await abandonSession(deps, tenant, session);
    throw problems.unavailable('The room server');
  }
  return secondsUntil(due, deps.clock);
}

/** Seconds within which a session's agent comes or the session ends; undefined when the agent has come. */
export function secondsUntilAgent(
  session: Pick<SessionRow, 'agent_ready_at' | 'agent_due_at'>,
  clock: Clock,
): number | undefined {
  const due = agentDueAt(session);
  return due && secondsUntil(due, clock);
}

const secondsUntil = (due: Date, clock: Clock) =>
  Math.max(1, Math.ceil((due.getTime() - clock.now().getTime()) / 1000));
