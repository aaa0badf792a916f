/** Shorter pieces are said together with the next one: a voice sounds chopped otherwise. */
const shortest = 12;
/** A text without an end of sentence is said in pieces of at most this length. */
const longest = 400;

/** Cuts a text that arrives in pieces into sentences, white space included. */
export class Sentences {
  readonly #segmenter: Intl.Segmenter;
  #rest = '';

  constructor(language: string) {
    this.#segmenter = new Intl.Segmenter(language, { granularity: 'sentence' });
  }

  /** The sentences that are known to be complete now: something follows them. */
  push(text: string): string[] {
    this.#rest += text;
    const sentences = this.#whole();
    this.#rest = sentences.pop() ?? '';
    return sentences;
  }

  /** All that is left. */
  end(): string[] {
    const sentences = this.#whole();
    this.#rest = '';
    return sentences;
  }

  #whole(): string[] {
    const sentences: string[] = [];
    for (const { segment } of this.#segmenter.segment(this.#rest)) {
      const previous = sentences.at(-1);
      if (previous !== undefined && goesOn(previous)) sentences[sentences.length - 1] = previous + segment;
      else sentences.push(segment);
    }
    return sentences.flatMap(pieces);
  }
}

/** A text without an end of sentence, cut between words. */
function pieces(text: string): string[] {
  if (text.length <= longest) return [text];
  const at = text.lastIndexOf(' ', longest) + 1 || longest;
  return [text.slice(0, at), ...pieces(text.slice(at))];
}

/** The point after a number is an ordinal in many languages ("am 24. November"), abbreviations are short, and addresses have marks in them. */
const goesOn = (sentence: string): boolean =>
  sentence.trim().length < shortest || /\d\.\s*$/u.test(sentence) || /:\/\/\S*$/u.test(sentence);
