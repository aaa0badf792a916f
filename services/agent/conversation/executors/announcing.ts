import { sleep } from '../../../process/sleep.ts';

export interface AnnouncingParts {
  /** Says a line after what the model has said in this turn. */
  announce: (line: string) => void;
  /** What was said and is not heard yet. */
  ahead: () => string;
}

/** A sentence is over by then; what is longer is not waited for. */
const heardWithinMs = 12_000;
const lookEveryMs = 50;
/** The last words begin to be heard when nothing is ahead any more. */
const lastWordsMs = 700;

/** Says a line in the turn that calls a tool. Resolves when it was heard, and all that was said before it. */
export async function announceAloud({ announce, ahead }: AnnouncingParts, line: string): Promise<void> {
  announce(line);
  const until = performance.now() + heardWithinMs;
  while (ahead() !== '' && performance.now() < until) await sleep(lookEveryMs);
  await sleep(lastWordsMs);
}
