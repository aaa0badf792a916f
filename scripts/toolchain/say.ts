/**
 * Lines for people at a terminal. Much of what commands show was written by others: commits, agents, what people said. A terminal obeys some
 * characters (it clears itself, changes its title, hides or turns lines around), so those are shown instead of sent.
 */

/** C0 and C1 controls but for line break and tab, separators that terminals take for a line break, and marks that turn text around (UAX #9). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const obeyed = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with each such character by its code, such as `\u{1b}`. */
export const printable = (text: string): string =>
  text.replace(obeyed, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

export const say = (line: string): void => void process.stdout.write(`${printable(line)}\n`);

/** The same where faults go. */
export const complain = (line: string): void => void process.stderr.write(`${printable(line)}\n`);
