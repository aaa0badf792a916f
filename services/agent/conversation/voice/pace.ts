/** Until more is known, so many letters are taken to be said in a second: somewhat slower than most voices, so captions follow the sound. */
const lettersPerSecond = 12;

interface Mark {
  letters: number;
  ms: number;
}

/**
 * Which words are heard at which moment of a reply's sound. A voice that tells where in the text a stretch of sound begins
 * (sentence by sentence) is followed exactly at those places and evenly between them; the end is exact once all of the
 * sound is there. Letters are counted without white space, which voices treat as they like.
 */
export class Pace {
  #text = '';
  /** Marks, in order. */
  readonly #marks: Mark[] = [{ letters: 0, ms: 0 }];
  /** Letters of the stretch whose sound comes now; 0 when the voice does not tell. */
  #announced = 0;
  #soundMs = 0;
  #isWhole = false;

  addText(text: string): void {
    this.#text += text;
  }

  /** A line whose sound is there goes before the text, of which there is none yet. */
  putFirst(text: string, ms: number): void {
    this.#text = text + this.#text;
    this.#marks.push({ letters: countLetters(text), ms });
    this.#soundMs += ms;
  }

  /** The next stretch of sound says `text`, and begins where the sound so far ends. */
  markText(text: string): void {
    const last = this.#marks.at(-1);
    const begun = last ? last.letters + this.#announced : 0;
    this.#announced = countLetters(text);
    if (last?.ms === this.#soundMs) last.letters = begun;
    else this.#marks.push({ letters: begun, ms: this.#soundMs });
  }

  addSound(ms: number): void {
    this.#soundMs += ms;
  }

  /** No further text and no further sound: the end of one is the end of the other. */
  end(): void {
    this.#isWhole = true;
  }

  /** Where the stretch that is heard at `ms` begins. */
  stretchAt(ms: number): number {
    return this.#marks.findLast((mark) => mark.ms <= ms)?.ms ?? 0;
  }

  /** The text that has been begun to be said when `ms` of the sound have been heard, to the end of its last word. */
  heardAt(ms: number): string {
    if (this.#isWhole && ms >= this.#soundMs) return this.#text;
    if (ms <= 0) return '';
    return wholeWords(this.#text, this.#lettersAt(ms));
  }

  #lettersAt(ms: number): number {
    const index = this.#marks.findLastIndex((mark) => mark.ms <= ms);
    const from = this.#marks[index] ?? { letters: 0, ms: 0 };
    const to = this.#marks[index + 1] ?? this.#end();
    if (!to) {
      const most = this.#announced || Number.POSITIVE_INFINITY;
      return from.letters + Math.min(most, ((ms - from.ms) * lettersPerSecond) / 1000);
    }
    return from.letters + ((ms - from.ms) / Math.max(1, to.ms - from.ms)) * (to.letters - from.letters);
  }

  #end(): Mark | undefined {
    return this.#isWhole ? { letters: countLetters(this.#text), ms: this.#soundMs } : undefined;
  }
}

const countLetters = (text: string) => text.replaceAll(/\s/gu, '').length;

/** The text up to the end of the word in which the letter of this number stands. */
function wholeWords(text: string, letters: number): string {
  let counted = 0;
  let end = 0;
  for (const word of text.matchAll(/\s*\S+\s*/gu)) {
    if (counted >= letters) break;
    counted += countLetters(word[0]);
    end = word.index + word[0].length;
  }
  return text.slice(0, end);
}
