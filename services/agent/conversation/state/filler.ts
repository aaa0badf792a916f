import { fillerKey } from '../../../contract/filler-key.ts';
import type { Effect } from './effect.ts';
import type { FactOf } from './fact.ts';
import { say } from './saying.ts';
import type { ConversationState } from './state.ts';
import { inTurn, type Step, step } from './step.ts';

/** Whoever said this has waited long: within the turn, or before there is one, unless the agent has something else to say. */
export function fillerDue(state: ConversationState, { utterance }: FactOf<'filler_due'>): Step {
  const { awaited, activity } = state;
  const isAwaited = awaited?.utterance === utterance && !awaited.isFilled;
  if (!isAwaited || state.phase !== 'open') return step(state);
  const filled = { ...state, awaited: { utterance, isFilled: true } };
  if (activity.kind === 'thinking')
    return state.mode.isSpoken ? step(filled, { kind: 'fill', turn: activity.turn }) : line(filled);
  return activity.kind === 'idle' && state.open.size === 0 ? lineFirst(filled) : step(state);
}

/** Whoever said this has an answer, and hears nothing of it: the voice is late, and the filler goes first. */
export function soundOverdue(state: ConversationState, { utterance }: FactOf<'sound_overdue'>): Step {
  const { activity } = state;
  if (activity.kind !== 'thinking' && activity.kind !== 'telling') return step(state);
  const awaited = activity.kind === 'telling' ? activity.utterance : state.awaited?.utterance;
  const isUnheard = awaited === utterance && state.phase === 'open' && state.mode.isSpoken;
  return isUnheard ? step(state, { kind: 'fill_unheard', turn: activity.turn }) : step(state);
}

/** In writing beside the answer: what stands in it is the model's. */
const line = (state: ConversationState): Step => say(state, 'filler', fillerKey(`${state.rules.epoch}.${state.next}`));

/** The person has finished: what made the agent hold its breath is over. */
const lineFirst = (state: ConversationState): Step =>
  inTurn(
    { ...state, floor: { ...state.floor, speaking: new Set(), held: undefined } },
    (known) => step(known, ...(state.floor.held ? [release] : [])),
    line,
  );

const release: Effect = { kind: 'release', why: 'person' };
