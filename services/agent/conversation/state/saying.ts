/** Lines of the service, beside or before what the agent is about. Turns and lines are numbered in one row. */
import type { EndReason } from '../../../contract/end-reasons.ts';
import type { LineWords } from './effect.ts';
import type { FactOf } from './fact.ts';
import type { ConversationState } from './state.ts';
import { added, type Step, step } from './step.ts';

/** A line beside what the agent is about. */
export const say = (state: ConversationState, words: LineWords, key: string): Step =>
  step(opened(state), { kind: 'say', line: state.next, words, key });

/** A line that is said to its end before anything else. */
export function sayFirst(
  state: ConversationState,
  words: LineWords,
  { key, next }: { key: string; next: EndReason | 'go_on' },
): Step {
  return say({ ...state, activity: { kind: 'line', line: state.next, next } }, words, key);
}

/** One more is being said: a turn, or a line. */
export const opened = (state: ConversationState): ConversationState => ({
  ...state,
  open: added(state.open, state.next),
  next: state.next + 1,
});

export const lineDue = (state: ConversationState, { text, key }: FactOf<'line_due'>): Step =>
  state.phase === 'open' ? say(state, { text }, key) : step(state);
