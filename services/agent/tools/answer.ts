import { succeeded, type ToolMiss, type ToolResult } from './result.ts';

const nothingTold = 'It worked; there is nothing more to tell.';
/** How a model is told that a result goes on. */
export const cutHere = '\n[The answer was longer and was cut here.]';
const longestHint = 300;

/** What came back from outside: the first bytes of it, and whether there were more. */
export interface Answer {
  bytes: Uint8Array;
  truncated: boolean;
}

/**
 * An answer as the model gets it: JSON as a value, so that scripts can name its parts; other text as it is; both cut where
 * they are too long, which is said. What is neither is `unreadable`.
 */
export function readAnswer(answer: Answer, unreadable: ToolMiss): ToolResult {
  const text = textOf(answer);
  if (text === undefined) return unreadable;
  if (answer.truncated) return succeeded(`${text}${cutHere}`);
  if (text === '') return succeeded(nothingTold);
  return succeeded(tryJson(text) ?? text);
}

/** UTF-8 without control characters; undefined for anything else. A character that the cut went through is left out. */
export function textOf({ bytes, truncated }: Answer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: truncated }).trim();
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Words of the other side that are meant for the conversation, such as "no table is free at that time": one short line. */
export const hintOf = (words: string): string =>
  words
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, longestHint)
    .toWellFormed();
