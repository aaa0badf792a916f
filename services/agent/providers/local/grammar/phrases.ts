import type { SpokenSlot } from '../../../../agent-files/definition/phrases.ts';
import { piecesOfPhrase } from '../../../../agent-files/definition/phrases.ts';
import { marks } from './texts-of-pattern.ts';

/** One place in a phrase. */
export type Part =
  /** A word; where it is open the person may say a longer one of which this is a part. */
  | { word: string; openStart: boolean; openEnd: boolean }
  /** A word as it is said, whether the recogniser's dictionary has it or not. */
  | { said: string }
  | { slot: Slot };

export type Slot = 'gap' | SpokenSlot;

export interface Phrase {
  parts: Part[];
  /** Nothing may be said before it. */
  isFirst: boolean;
  /** Nothing may be said after it. */
  isLast: boolean;
}

const { gap, number, letters, boundary, edge } = marks;

const pieces = new RegExp(
  [
    `(?<clock>[${number}\\d]+:[${number}\\d]+)`,
    // Nobody says a date in figures alone.
    `(?<unsaid>[${number}\\d]+(?:[.-][${number}\\d]+[.-]?)+[${number}\\d]*)`,
    `(?<ordinal>[${number}\\d]+(?:st|nd|rd|th|\\.))`,
    `(?<number>[${number}\\d]+)`,
    `(?<word>\\p{L}[\\p{L}'’]*)`,
    `(?<letters>${letters}+)`,
    `(?<gap>${gap})`,
    `(?<boundary>[${boundary}${edge}\\s])`,
  ].join('|'),
  'gu',
);

/** Reads a text of `textsOfPattern`; undefined when there is nothing in it that can be said. */
export function phraseOf(text: string): Phrase | undefined {
  const parts: Part[] = [];
  /** Whether a word could go on across this place. */
  let open = true;
  for (const { groups = {}, 0: piece } of text.matchAll(pieces)) {
    if (groups.unsaid !== undefined) return undefined;
    if (groups.word !== undefined) parts.push({ word: groups.word.toLowerCase(), openStart: open, openEnd: true });
    else if (groups.letters !== undefined) withLetters(parts, open);
    else if (groups.boundary !== undefined) close(parts);
    else {
      const slot = slotOf(groups);
      if (slot !== 'gap') close(parts);
      if (!(slot === 'gap' && isGap(parts.at(-1)))) parts.push({ slot });
    }
    open = groups.gap !== undefined || (groups.boundary === undefined && piece.trim() === '');
  }
  const said = parts.filter((part) => !isGap(part));
  if (said.length === 0) return undefined;
  return { parts: trimmed(parts), isFirst: text.startsWith(edge), isLast: text.endsWith(edge) };
}

/** What an agent's file says that may be said in a language, word for word. */
export const writtenPhrase = (text: string): Phrase => ({ parts: piecesOfPhrase(text), isFirst: false, isLast: false });

const isGap = (part: Part | undefined): boolean => part !== undefined && 'slot' in part && part.slot === 'gap';

const slotOf = (groups: Readonly<Record<string, string | undefined>>): Slot => {
  if (groups.clock !== undefined) return 'clock';
  if (groups.ordinal !== undefined) return 'ordinal';
  return groups.number === undefined ? 'gap' : 'number';
};

/** Letters right after a word are its rest; by themselves they are a name. */
function withLetters(parts: Part[], open: boolean): void {
  const last = parts.at(-1);
  if (last && 'word' in last && last.openEnd) return;
  if (!open || !(last && 'slot' in last && last.slot === 'name')) parts.push({ slot: 'name' });
}

/** The word before ends here. */
function close(parts: Part[]): void {
  const last = parts.at(-1);
  if (last && 'word' in last) last.openEnd = false;
}

/** What may stand around every phrase need not be said twice. */
function trimmed(parts: readonly Part[]): Part[] {
  const first = parts.findIndex((part) => !isGap(part));
  return parts.slice(first, parts.findLastIndex((part) => !isGap(part)) + 1);
}
