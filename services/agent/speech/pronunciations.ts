/** Words that voices say wrong, and how they are spelt so that voices say them right. */
export type Pronunciations = Readonly<Record<string, string>>;

/** Makes of a sentence what a voice is to read: whole words are replaced, longer entries first, without regard to case. */
export function pronouncer(pronunciations: Pronunciations): (sentence: string) => string {
  const words = Object.keys(pronunciations).toSorted((one, other) => other.length - one.length);
  if (words.length === 0) return (sentence) => sentence;
  const spoken = new Map(Object.entries(pronunciations).map(([word, said]) => [word.toLowerCase(), said]));
  const any = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(literally).join('|')})(?![\\p{L}\\p{N}])`, 'giu');
  return (sentence) => sentence.replace(any, (word) => spoken.get(word.toLowerCase()) ?? word);
}

const literally = (word: string): string => word.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
