import { problems } from '../../contract/problems.ts';
import type { Channel, InteractionMode } from '../../contract/session.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import { locateRoom } from '../../store/tables/sessions.ts';
import { loadLiveAgent } from '../agents/live-agent.ts';
import { type OpenDeps, openSession } from './open-session.ts';

export interface Arrival {
  tenant: string;
  agent: string;
  room: string;
  identity: string;
  channel: Channel;
  language?: string;
  /** The agent's own by default. */
  interactionMode?: InteractionMode;
  /** Whether it waits where every host is full; it does by default. */
  mayWait?: boolean;
}

/**
 * Somebody is in a room that has no session (an inbound call). The room becomes a session in the agent's own
 * mode, and any host that can hold it may claim it. Two reports of the same arrival make one session. Returns the session's id.
 * @throws Problem `agent_not_found`, what `openSession` throws
 */
export async function admitArrival(deps: OpenDeps & { notifier: Notifier }, arrival: Arrival): Promise<string> {
  const { db, notifier } = deps;
  const known = await locateRoom(db, arrival.room);
  if (known) return known.session_id;
  const agent = await loadLiveAgent(db, arrival.tenant, arrival.agent);
  if (!agent) throw problems.agentNotFound(arrival.agent);
  const origin = {
    agent,
    channel: arrival.channel,
    openedBy: 'room' as const,
    wishes: { language: arrival.language, interactionMode: arrival.interactionMode },
    room: { name: arrival.room, identity: arrival.identity },
    mayWait: arrival.mayWait ?? true,
  };
  const created = await openSession(deps, origin).catch(async (error: unknown) => {
    // Somebody else reported the same arrival a moment earlier: room names are unique.
    const other = await locateRoom(db, arrival.room);
    if (!other) throw error;
    return other;
  });
  notifier.tell(channels.work, '');
  return created.session_id;
}
