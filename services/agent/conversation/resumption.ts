import type { InteractionMode } from '../../contract/session.ts';
import type { Draft } from '../../store/tables/messages.ts';

/** How a host goes on with a reply that another had begun. */
export interface Resumption {
  /** Said at once. */
  words: string;
  /** Heard of the former host, and said before `words`. */
  heard: string;
  /** The model is asked to go on after `heard` and `words`. */
  isOpen: boolean;
}

/**
 * What is written is given again from its beginning, under its own name, and replaces what had arrived; what is said aloud goes on
 * from the last sentence that was not heard to its end. Of a reply that is not complete only whole sentences are said before the
 * model goes on. Undefined: there is nothing to go on from, and the answer is thought anew.
 */
export function resumptionOf({ content, told, complete }: Draft, mode: InteractionMode): Resumption | undefined {
  const known = complete ? content : content.slice(0, sentenceEnd(content, content.length));
  const from = mode === 'VOICE' ? sentenceEnd(known, Math.min(told, known.length) - 1) : 0;
  const words = known.slice(from);
  if (!known || (complete && !words)) return undefined;
  return { words, heard: known.slice(0, from), isOpen: !complete };
}

/** Where the last sentence ends that is over at `at`, white space after it included. */
function sentenceEnd(text: string, at: number): number {
  const ends = [...text.matchAll(/[.!?…]["'”’)]*\s+|[。！？]+\s*/gu)].map((end) => end.index + end[0].length);
  return ends.findLast((end) => end <= Math.max(0, at)) ?? 0;
}

/**
 * A model that was asked to go on may begin from the beginning all the same: what it repeats of what was said is left out. Returns
 * what of its words is new, piece by piece.
 */
export function withoutRepetition(said: string): (piece: string) => string {
  let repeated = '';
  let isRepeating = true;
  return (piece) => {
    if (!isRepeating) return piece;
    repeated += piece;
    if (said.startsWith(repeated)) return '';
    isRepeating = false;
    return repeated.startsWith(said) ? repeated.slice(said.length) : repeated;
  };
}
