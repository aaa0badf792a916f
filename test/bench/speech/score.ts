import { wordsOf } from './sentences.ts';

export interface Score {
  words: number;
  /** Words that are other ones, missing, or too many. */
  errors: number;
  /** Of the first and the last word of what was said, how many are not among what was heard there. */
  lostAtEnds: number;
}

export const nothing: Score = { words: 0, errors: 0, lostAtEnds: 0 };

export function scoreOf(said: string, heard: string): Score {
  const [wanted, found] = [wordsOf(said), wordsOf(heard)];
  const near = (word: string | undefined, there: readonly string[]) => (word && !there.includes(word) ? 1 : 0);
  const lostAtEnds = near(wanted[0], found.slice(0, 3)) + near(wanted.at(-1), found.slice(-3));
  return { words: wanted.length, errors: distance(wanted, found), lostAtEnds };
}

export const added = (one: Score, other: Score): Score => ({
  words: one.words + other.words,
  errors: one.errors + other.errors,
  lostAtEnds: one.lostAtEnds + other.lostAtEnds,
});

/** Levenshtein's, in words. */
function distance(wanted: readonly string[], found: readonly string[]): number {
  let row = found.map((_, at) => at + 1);
  row.unshift(0);
  for (const [line, word] of wanted.entries()) {
    const next = [line + 1];
    for (const [at, other] of found.entries()) {
      const replaced = (row[at] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
