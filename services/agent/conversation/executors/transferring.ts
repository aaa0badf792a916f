import type { Transferred } from '../../../agent-files/builtin-tools/builtin-tool.ts';
import { builtInLines } from '../../../agent-files/definition/lines.ts';
import type { Transfers } from '../../../core/telephony/transfer.ts';
import { sleep } from '../../../process/sleep.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import { inLanguage } from '../language.ts';
import type { Loaded } from '../loading.ts';

export interface TransferringParts {
  loaded: Loaded;
  room: () => Pick<AgentRoom, 'name' | 'isOnTelephone' | 'leavesWithin'>;
  transfers: Transfers;
  /** Says a line after what the model has said in this turn. */
  announce: (line: string) => void;
  /** What was said and is not heard yet. */
  ahead: () => string;
}

/** A sentence is over by then; whoever speaks for longer is put through in the middle of it. */
const heardWithinMs = 12_000;
const lookEveryMs = 50;
/** The last words begin to be heard when nothing is ahead any more. */
const lastWordsMs = 700;
/**
 * A bridge whose transfer was answered stays for a second (`referByeTimeout` of livekit/sip 1.8.0); one whose call ended meanwhile gives the same
 * answer when its telephone has left. A carrier that hangs up in the moment in which it tells of the answer is taken for the latter.
 */
const staysForMs = 500;

/** Puts the caller of this conversation through to a destination of the agent's file: says so first, then has the bridge ask the carrier. */
export async function transferCaller(parts: TransferringParts, destination: string): Promise<Transferred> {
  const { loaded, room, transfers, announce } = parts;
  const { definition, session } = loaded;
  const transfer = Object.entries(definition.transfers ?? {}).find(([name]) => name === destination)?.[1];
  const identity = session.participant_identity;
  if (!transfer || !room().isOnTelephone(identity)) return 'not_here';
  announce(inLanguage(transfer.say ?? {}, session.language) || builtInLines(session.language).puttingThrough);
  await allIsHeard(parts);
  const told = await transfers.ask({ room: room().name, identity, to: transfer.number });
  if (told !== 'over') return told;
  return (await room().leavesWithin(identity, staysForMs)) ? 'unknown' : 'answered';
}

async function allIsHeard({ ahead }: TransferringParts): Promise<void> {
  const until = performance.now() + heardWithinMs;
  while (ahead() !== '' && performance.now() < until) await sleep(lookEveryMs);
  await sleep(lastWordsMs);
}
