/** What the person writes, as it is heard. */
import { nobodyWaits } from './awaiting.ts';
import type { FactOf } from './fact.ts';
import { goodbyeTakenBack } from './goodbye.ts';
import { cut, mayCut, takeIn } from './interruption.ts';
import { say } from './saying.ts';
import type { ConversationState } from './state.ts';
import { inTurn, type Step, step } from './step.ts';

/** Who writes while the agent is heard wants to be answered now, as who speaks then. */
export function textHeard(state: ConversationState, { text, playout }: FactOf<'text_heard'>): Step {
  if (state.phase === 'over') return step(state);
  const isOver = state.phase === 'open' && playout?.isHeard && mayCut(state);
  return inTurn(
    state,
    (known) => (isOver ? cut(goodbyeTakenBack(known)) : step(known)),
    (known) => takeIn(known, text),
  );
}

export const tooMuchWritten = (state: ConversationState, { key }: FactOf<'too_much_written'>): Step =>
  state.phase === 'open' ? say(nobodyWaits(state), 'tooManyMessages', `notice ${key}`) : step(state);
