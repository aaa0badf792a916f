/** The conversation ends from within: a tool or a cap wants it, the last words travel, or the person takes the goodbye back. */
import type { EndReason } from '../../../contract/end-reasons.ts';
import type { FactOf } from './fact.ts';
import { over } from './life.ts';
import { sayFirst } from './saying.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

type Ending = NonNullable<ConversationState['ending']>;

export const endWanted = (state: ConversationState, { reason }: FactOf<'end_wanted'>): Step =>
  step({ ...state, ending: state.ending ?? { reason, farewell: false } });

/** No further turn begins: after the current one the person is told, and the session ends. */
export function capReached(state: ConversationState): Step {
  if (state.phase !== 'open' || state.ending?.farewell || state.activity.kind === 'leaving') return step(state);
  const ending: Ending = { reason: 'tenant_limit', farewell: true };
  const known: ConversationState = { ...state, ending };
  return state.activity.kind === 'idle' ? end(known, ending) : step(known, { kind: 'time_farewell' });
}

/** The last line itself is not cut. */
export function farewellOverdue(state: ConversationState): Step {
  const { activity, ending } = state;
  const isInTurn = activity.kind === 'thinking' || activity.kind === 'telling';
  return isInTurn && ending?.farewell ? step(state, { kind: 'stop_speaking' }) : step(state);
}

/** The agent is free: with a line of the service, or with what it has just said. */
export const end = (state: ConversationState, { reason, farewell }: Ending): Step =>
  farewell ? sayFirst(state, 'limitReached', { key: 'notice limit', next: reason }) : leave(state, reason);

/** The last words travel, then the session ends. */
export const leave = (state: ConversationState, reason: EndReason): Step =>
  step({ ...state, activity: { kind: 'leaving', reason } }, { kind: 'linger' });

export const lingered = (state: ConversationState): Step =>
  state.activity.kind === 'leaving' ? over(state, { end: state.activity.reason }) : step(state);

/** "Wait, one more thing": whoever says something before the goodbye is over is answered, and nothing ends. */
export function goodbyeTakenBack(state: ConversationState): ConversationState {
  const { activity } = state;
  const isLeaving = activity.kind === 'leaving' && activity.reason === 'agent_ended';
  return {
    ...state,
    ending: state.ending?.reason === 'agent_ended' ? undefined : state.ending,
    activity: isLeaving && state.phase === 'open' ? { kind: 'idle' } : activity,
  };
}
