import type { EndReason } from '../../contract/end-reasons.ts';
import { locateRoom } from '../../store/tables/sessions.ts';
import type { Sighting } from '../presence/presence.ts';
import { type EndDeps, endAsJudged, endIfDue, type Judge } from '../sessions/end.ts';
import { isInboundRoom } from './leg.ts';

interface CallEnd extends Pick<Sighting, 'room' | 'at'> {
  source: string;
  reason?: EndReason;
  waits?: boolean;
}

/**
 * The telephone in this room has hung up, at `at`: its session ends, whether or not it had begun. A call out that nobody answered is left
 * to whoever dials. A session that somebody else is at is left to its deadline, unless `waits`: where nobody will look again.
 */
export async function endCall(
  deps: EndDeps,
  { room, at, source, reason = 'call_ended', waits = false }: CallEnd,
): Promise<void> {
  const located = await locateRoom(deps.db, room);
  if (!located) return;
  const { tenant_id: tenant, session_id: session } = located;
  const judge: Judge = async (_, { session: { channel, status } }) => {
    const isOver = channel === 'phone' && (status === 'running' || isInboundRoom(room));
    return isOver ? { reason, at } : undefined;
  };
  await (waits ? endAsJudged : endIfDue)(deps, { tenant, session, source }, judge);
}
