/** How a conversation is given away, and how it ends. */
import type { Effect } from './effect.ts';
import type { LifeFact, RoomFact } from './fact.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

export function learnOfLife(state: ConversationState, fact: LifeFact): Step {
  switch (fact.kind) {
    case 'hand_over':
      return state.phase === 'open'
        ? step({ ...state, phase: 'handing_over' }, { kind: 'time_patience' })
        : step(state);
    case 'patience_over':
      return patienceOver(state);
    case 'session_ended':
      return over(state, 'session_ended');
    case 'taken_over':
      return over(state, 'taken_over');
    case 'flooded':
      // The same token would let them in again: the room has to go, and nobody is there to hear a line.
      return over(state, { end: 'budget_exhausted' });
    default:
      return fact satisfies never;
  }
}

/** Nothing more is begun; what is under way is stored. */
export function over(state: ConversationState, how: Extract<Effect, { kind: 'leave' }>['how']): Step {
  if (state.phase === 'over') return step(state);
  const activity = state.activity.kind === 'leaving' ? ({ kind: 'idle' } as const) : state.activity;
  // Whoever has it next answers what was not said.
  const isLeft = how === 'given_back' || how === 'taken_over' || state.isCutForHandover;
  return step({ ...state, phase: 'over', activity, isCutForHandover: isLeft }, { kind: 'leave', how });
}

/** A turn that takes longer is cut, and left to the successor. */
function patienceOver(state: ConversationState): Step {
  const isBusy = state.activity.kind !== 'idle' && state.activity.kind !== 'leaving';
  if (state.phase !== 'handing_over' || !isBusy) return step(state);
  return step({ ...state, isCutForHandover: true }, { kind: 'fall_silent' });
}

export function learnOfRoom(state: ConversationState, fact: RoomFact): Step {
  if (state.phase === 'over') return step(state);
  switch (fact.kind) {
    case 'room_away':
      return step(state, { kind: 'doubt_arrival' }, { kind: 'hold', why: 'room' }, { kind: 'tell_unattended' });
    case 'room_back':
      return step(state, { kind: 'release', why: 'room' }, { kind: 'announce' });
    case 'room_gone':
      return roomGone(state);
    case 'room_unreachable':
      return over(state, 'given_back');
    default:
      return fact satisfies never;
  }
}

/** Once it is given away, a connection of ours would send the successor out of the room. */
function roomGone(state: ConversationState): Step {
  const retake: Effect[] = state.phase === 'open' ? [{ kind: 'retake_room' }] : [];
  return step(state, { kind: 'doubt_arrival' }, { kind: 'hold', why: 'room' }, ...retake);
}
