import type { Lease } from '../../store/tables/hosts.ts';
import { AgentRoom } from '../room/agent-room.ts';
import { builtinsAgain } from './builtins-again.ts';
import type { ConversationDeps } from './executors/executors.ts';
import { settleInterruptedCalls } from './interrupted-calls.ts';
import type { Loaded } from './loading.ts';
import { outsideTools } from './run-tool.ts';

/** What a host begins with. */
export interface TakenUp {
  room: AgentRoom;
  /** No call of it is running any more. */
  loaded: Loaded;
  /** A call that was running ends the conversation, once the turn that was interrupted is over. */
  ends: boolean;
}

/**
 * Takes a session up: in the warm room that it was given, or by joining its room. What a former host had begun to do is done, or known
 * to be unknown, before anything is heard.
 */
export async function takeUp(
  deps: Pick<ConversationDeps, 'db' | 'rooms' | 'toolsFor' | 'canSpeak'>,
  lease: Lease,
  loaded: Loaded,
  warm: AgentRoom | undefined,
): Promise<TakenUp> {
  const room = warm ?? (await AgentRoom.join(loaded.session.room_name, deps.rooms, { takesPlace: lease.epoch > 1 }));
  try {
    // The person's application can be asked again only from inside the room, where nothing that is said meanwhile is lost.
    const { run, ends } = builtinsAgain(
      deps,
      lease,
      loaded,
      outsideTools(deps, loaded, () => room),
    );
    return { room, loaded: await settleInterruptedCalls(deps.db, loaded, run), ends: ends() };
  } catch (error) {
    await room.leave();
    throw error;
  }
}
