/** The last word of a turn is out, and the turn is stored. */
import { lineTold } from './after.ts';
import type { FactOf } from './fact.ts';
import type { ConversationState } from './state.ts';
import { type Step, step } from './step.ts';

export function told(state: ConversationState, fact: FactOf<'told'>): Step {
  const { activity } = state;
  if (activity.kind !== 'telling' || activity.turn !== fact.output) return lineTold(state, fact.output);
  const known = { ...state, activity: { ...activity, cut: fact.cut } };
  // Of a turn that ends while the conversation is given away, only what the person's client has counts as said.
  if (state.phase === 'handing_over' && fact.whole && fact.hasWords) {
    return step(known, { kind: 'ask_arrival', turn: activity.turn });
  }
  return close(known, fact.whole);
}

export function arrivalKnown(state: ConversationState, { turn, arrived }: FactOf<'arrival_known'>): Step {
  const isAsked = state.activity.kind === 'telling' && state.activity.turn === turn;
  return isAsked ? close(state, arrived) : step(state);
}

function close(state: ConversationState, arrived: boolean): Step {
  if (state.activity.kind !== 'telling') return step(state);
  const { turn, thought: said, cut } = state.activity;
  const interrupted = said.interrupted || cut;
  const isLeft = (state.isCutForHandover && (interrupted || !arrived)) || (state.phase === 'handing_over' && !arrived);
  const closing = {
    closesTurn: !isLeft,
    // What nobody has heard is not said: the successor answers anew.
    unsaid: isLeft && !arrived,
    interrupted: interrupted || said.failed,
    tokens: said.tokens,
  };
  // Whoever spoke over the answer is answered, and needs no apology for the rest of it.
  const failed = said.failed && !isLeft && !interrupted;
  return step(
    { ...state, activity: { kind: 'closing', turn, failed, tokens: said.tokens } },
    { kind: 'close_turn', turn, closing },
  );
}
