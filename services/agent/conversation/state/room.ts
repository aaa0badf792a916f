/** The agent's connection to the room breaks, and comes back. */
import type { Effect } from './effect.ts';
import { over } from './life.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

export const roomAway = (state: ConversationState): Step =>
  step(state, { kind: 'doubt_arrival' }, { kind: 'hold', why: 'room' }, { kind: 'tell_unattended' });

export const roomBack = (state: ConversationState): Step =>
  step(state, { kind: 'release', why: 'room' }, { kind: 'announce' });

/** Once it is given away, a connection of ours would send the successor out of the room. */
export function roomGone(state: ConversationState): Step {
  const retake: Effect[] = state.phase === 'open' ? [{ kind: 'retake_room' }] : [];
  return step(state, { kind: 'doubt_arrival' }, { kind: 'hold', why: 'room' }, ...retake);
}

export const roomUnreachable = (state: ConversationState): Step => over(state, 'given_back');
