/** How a conversation is given away, and how it is over. */
import type { Effect } from './effect.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

export const handOver = (state: ConversationState): Step =>
  state.phase === 'open' ? step({ ...state, phase: 'handing_over' }, { kind: 'time_patience' }) : step(state);

/** A turn that takes longer is cut, and left to the successor. */
export function patienceOver(state: ConversationState): Step {
  const isBusy = state.activity.kind !== 'idle' && state.activity.kind !== 'leaving';
  if (state.phase !== 'handing_over' || !isBusy) return step(state);
  return step({ ...state, isCutForHandover: true }, { kind: 'fall_silent' });
}

export const sessionEnded = (state: ConversationState): Step => over(state, 'session_ended');

export const takenOver = (state: ConversationState): Step => over(state, 'taken_over');

/** The same token would let them in again: the room has to go, and nobody is there to hear a line. */
export const flooded = (state: ConversationState): Step => over(state, { end: 'budget_exhausted' });

/** Nothing more is begun; what is under way is stored. */
export function over(state: ConversationState, how: Extract<Effect, { kind: 'leave' }>['how']): Step {
  if (state.phase === 'over') return step(state);
  const activity = state.activity.kind === 'leaving' ? ({ kind: 'idle' } as const) : state.activity;
  // Whoever has it next answers what was not said.
  const isLeft = how === 'given_back' || how === 'taken_over' || state.isCutForHandover;
  return step({ ...state, phase: 'over', activity, isCutForHandover: isLeft }, { kind: 'leave', how });
}
