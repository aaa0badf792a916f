import type { Effect } from './effect.ts';
import type { ConversationState } from './state.ts';

/** What is known after a fact, and what is to be done, in this order. */
export type Step = readonly [ConversationState, readonly Effect[]];

export const step = (state: ConversationState, ...effects: Effect[]): Step => [state, effects];

/** One step after another. */
export const inTurn = (state: ConversationState, ...moves: ((state: ConversationState) => Step)[]): Step =>
  moves.reduce<Step>(
    ([known, effects], move) => {
      const [next, more] = move(known);
      return [next, [...effects, ...more]];
    },
    [state, []],
  );

export const added = <Item>(set: ReadonlySet<Item>, item: Item): ReadonlySet<Item> => new Set([...set, item]);

export const removed = <Item>(set: ReadonlySet<Item>, item: Item): ReadonlySet<Item> =>
  new Set([...set].filter((other) => other !== item));
