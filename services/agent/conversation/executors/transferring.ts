import type { Transferred } from '../../../agent-files/builtin-tools/transfer.ts';
import { builtInLines } from '../../../agent-files/definition/lines.ts';
import type { Transfers } from '../../../core/telephony/transfer.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import { inLanguage } from '../language.ts';
import type { Loaded } from '../loading.ts';
import { type AnnouncingParts, announceAloud } from './announcing.ts';

export interface TransferringParts extends AnnouncingParts {
  loaded: Loaded;
  room: () => Pick<AgentRoom, 'name' | 'isOnTelephone' | 'leavesWithin'>;
  transfers: Transfers;
}

/**
 * A bridge whose transfer was answered stays for a second (`referByeTimeout` of livekit/sip 1.8.0); one whose call ended meanwhile gives the same
 * answer when its telephone has left. A carrier that hangs up in the moment in which it tells of the answer is taken for the latter.
 */
const staysForMs = 500;

/** Puts the caller of this conversation through to a destination of the agent's file: says so first, then has the bridge ask the carrier. */
export async function transferCaller(parts: TransferringParts, destination: string): Promise<Transferred> {
  const { loaded, room, transfers } = parts;
  const { definition, session } = loaded;
  const transfer = Object.entries(definition.transfers ?? {}).find(([name]) => name === destination)?.[1];
  const identity = session.participant_identity;
  if (!transfer || !room().isOnTelephone(identity)) return 'not_here';
  const line = inLanguage(transfer.say ?? {}, session.language) || builtInLines(session.language).puttingThrough;
  await announceAloud(parts, line);
  const told = await transfers.ask({ room: room().name, identity, to: transfer.number });
  if (told !== 'over') return told;
  return (await room().leavesWithin(identity, staysForMs)) ? 'unknown' : 'answered';
}
