/** As many words of the prompt in a row are no coincidence. */
const wordsInARow = 8;

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * The first passage of at least eight words that a text has word by word from the prompt; undefined when there is none. Case,
 * punctuation and line breaks don't matter. A variable such as `{{now}}` ends a passage.
 */
export function revealedPassage(prompt: string, text: string): string | undefined {
  const known = new Set(prompt.split(/\{\{[^{}]*\}\}/u).flatMap((part) => passagesOf(wordsOf(part))));
  return passagesOf(wordsOf(text)).find((passage) => known.has(passage));
}

const passagesOf = (words: readonly string[]): string[] =>
  words
    .slice(0, Math.max(0, words.length - wordsInARow + 1))
    .map((_, at) => words.slice(at, at + wordsInARow).join(' '));
