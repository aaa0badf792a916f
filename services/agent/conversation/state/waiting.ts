/** What is stored and waits for its answer, in its order. */
import { awake } from './coming.ts';
import type { FactOf } from './fact.ts';
import { goodbyeTakenBack } from './goodbye.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

/** While the conversation is given away, it is the successor that answers. */
export function textWaits(state: ConversationState, { text }: FactOf<'text_waits'>): Step {
  if (state.phase !== 'open') return step(state);
  return awake({ ...goodbyeTakenBack(state), waiting: [...state.waiting, text] });
}

/** Nobody knows yet whether the person is there. */
export const textsFound = (state: ConversationState, { texts }: FactOf<'texts_found'>): Step =>
  step({ ...state, waiting: [...state.waiting, ...texts] });
