import type { TurnTiming } from '../../contract/session.ts';
import type { IncomingText } from '../room/hearing.ts';
import type { Output } from './output.ts';

/** What a turn took, in whole milliseconds: begun, answered with this output, its tools having run for so long. */
export function timingOf(
  begunAt: number,
  { hearing }: { hearing?: IncomingText['hearing'] },
  { times, cut }: Pick<Output, 'times' | 'cut'>,
  toolsMs: number,
): TurnTiming {
  const { firstWordAt, firstSoundAt, soundEndedAt } = times;
  const parts: { [Part in keyof TurnTiming]: number | undefined } = {
    endpointing: hearing?.endpointing,
    recognition: hearing?.recognition,
    firstToken: between(begunAt, firstWordAt),
    firstSound: between(begunAt, firstSoundAt),
    playout: between(firstSoundAt, soundEndedAt),
    tools: toolsMs > 0 ? toolsMs : undefined,
    interruptedAfter: cut ? between(begunAt, soundEndedAt) : undefined,
  };
  const measured = Object.entries(parts).filter((part): part is [string, number] => part[1] !== undefined);
  return Object.fromEntries(measured.map(([part, ms]) => [part, Math.round(ms)]));
}

const between = (from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? undefined : to - from;
