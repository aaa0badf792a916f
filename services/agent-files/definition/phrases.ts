/** `languages[].phrases`: what recognition on a host listens for, with places where a kind of word may stand. */

/** Written in braces, such as `a table for {number} people`. */
export const phraseSlots = ['number', 'few', 'ordinal', 'clock', 'day', 'name'] as const;

export type SpokenSlot = (typeof phraseSlots)[number];

export const isPhraseSlot = (name: string): name is SpokenSlot => phraseSlots.some((slot) => slot === name);

/** What stands in braces, whether there is such a slot or not. */
export const slotsIn = (phrase: string): string[] =>
  [...phrase.matchAll(/\{([^{}]*)\}/gu)].map(([, name = '']) => name.trim());

/** In order; signs between words are not spoken. */
export const piecesOfPhrase = (phrase: string): ({ said: string } | { slot: SpokenSlot })[] =>
  [...phrase.matchAll(/\{\s*(?<slot>[^{}]*?)\s*\}|(?<said>[\p{L}\p{N}][\p{L}\p{N}'’-]*)/gu)].flatMap(
    ({ groups = {} }) => {
      const { slot, said } = groups;
      if (said !== undefined) return { said };
      return slot !== undefined && isPhraseSlot(slot) ? { slot } : [];
    },
  );
