import type { EndByWords } from './end-by-words.ts';

/** Below this the person has probably not finished (between 0.23 and 0.36 by language, for the framework's detector). */
const finishedAt = 0.3;
/**
 * So much silence at most while the words are on their way: without them nobody can be answered, so that a finished sentence loses nothing,
 * and whoever goes on meanwhile is not cut. Whisper needs 0.3 to 0.5 s after the pause on idle cores.
 */
const wordsWithinMs = 1_000;

/** What is known in a pause of whoever spoke before it. */
export interface Pause {
  /** How likely they have finished by the sound, 0 to 1; absent: not judged yet. */
  bySound?: number;
  /** Absent: the words are not known yet. */
  byWords?: EndByWords;
}

export interface Silences {
  /** That ends a turn. */
  endMs: number;
  /** That ends one which is unfinished. */
  unfinishedMs: number;
}

/** How much silence ends the turn, as far as is known: words that are open or finished tell more than the melody of a word or two. */
export function patienceMs({ bySound = 1, byWords }: Pause, { endMs, unfinishedMs }: Silences): number {
  const unfinished = Math.max(endMs, unfinishedMs);
  if (byWords === 'open') return unfinished;
  if (byWords === 'finished') return endMs;
  if (bySound < finishedAt) return unfinished;
  return byWords === undefined ? Math.max(endMs, Math.min(wordsWithinMs, unfinished)) : endMs;
}
