/** The person is there. */
import type { FactOf } from './fact.ts';
import { goOn } from './next.ts';
import type { ConversationState } from './state.ts';
import { inTurn, type Step, step } from './step.ts';

/** A call that nobody had joined for long asks for its place again before anything is said. */
export function personCame(state: ConversationState, { placeLapsed }: FactOf<'person_came'>): Step {
  const { mode, phase } = state;
  if (phase !== 'open') return step(state);
  const isSure = mode.isPlaceSure || !mode.isSpoken || !placeLapsed;
  const known = { ...state, isAwake: true, mode: { ...mode, isPlaceSure: true, isAsking: mode.isAsking || !isSure } };
  return isSure ? awake(known) : step(known, { kind: 'ask_spoken' });
}

/** Or has written, which tells the same. */
export function awake(state: ConversationState): Step {
  if (state.phase !== 'open') return step(state);
  return inTurn({ ...state, isAwake: true }, (known) => step(known, { kind: 'mind_silence', now: 'there' }), goOn);
}
