import { type Repetition, readRepetition } from '../../../../agent-files/definition/patterns.ts';

/**
 * What a person may say so that a script's regular expression matches: the expression read backwards, as texts with marks
 * where anything of a kind may stand. The expressions are for written text, so this is an estimate, and it is bounded.
 */
export const marks = {
  /** Any words, or none. */
  gap: '\uE000',
  /** A number, one or more digits. */
  number: '\uE001',
  /** Letters: the rest of a word, or a whole name. */
  letters: '\uE002',
  /** A word begins or ends here, and goes on no further. */
  boundary: '\uE003',
  /** The whole text begins or ends here. */
  edge: '\uE004',
} as const;

/** Alternatives beyond this are thinned out evenly. */
const mostTexts = 400;

export function textsOfPattern(pattern: string): string[] {
  return [...new Set(new PatternReader(pattern).alternatives())];
}

class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): string[] {
    const texts = this.#sequence();
    while (this.#take('|')) texts.push(...this.#sequence());
    return thinned(texts);
  }

  #sequence(): string[] {
    let texts = [''];
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#next())) {
      const atom = this.#atom();
      texts = joined(texts, repeated(atom, this.#repetition()));
    }
    return texts;
  }

  #atom(): string[] {
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return this.#characters();
    if (this.#take('\\')) return this.#escape();
    const character = this.#next();
    this.#at += character.length;
    if (character === '.') return [marks.gap];
    if (character === '^' || character === '$') return [marks.edge];
    return [character];
  }

  /** A look-around says what must not be there, or stands for what another part says. */
  #group(): string[] {
    const opening = /^\?(?:[:=!]|<[=!]|<[^>]*>)/u.exec(this.#pattern.slice(this.#at))?.[0] ?? '';
    this.#at += opening.length;
    const texts = this.alternatives();
    this.#take(')');
    return /^\?<?[=!]/u.test(opening) ? [''] : texts;
  }

  #characters(): string[] {
    const [whole = '', excluding, members = ''] =
      /^(\^?)((?:\\.|[^\]\\])*)\]/su.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += whole.length;
    if (excluding) return [marks.gap];
    if (/\\p|\\w|[a-z]-[a-z]/iu.test(members)) return [marks.letters];
    if (/\\d|\d-\d/u.test(members)) return [marks.number];
    const single = [...members.replaceAll(/\\(.)/gu, '$1')];
    const letters = single.filter((character) => /[\p{L}\p{N}]/u.test(character));
    if (letters.length > 0) return letters;
    return single.some((character) => /[\s-]/u.test(character)) ? [' '] : [single[0] ?? ''];
  }

  #escape(): string[] {
    const [whole = ''] = /^(?:[pPu]\{[^}]*\}|.)/su.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += whole.length;
    if (whole === 'b') return [marks.boundary];
    if (whole === 'd') return [marks.number];
    if (whole === 's') return [' '];
    if (whole === 'w' || whole.startsWith('p')) return [marks.letters];
    return /^[A-Za-z]/u.test(whole) ? [marks.gap] : [whole];
  }

  #repetition(): Repetition {
    const found = readRepetition(this.#pattern, this.#at);
    this.#at += found?.length ?? 0;
    return found ?? { min: 1, max: 1 };
  }

  #next(): string {
    return String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0);
  }

  #take(character: string): boolean {
    if (this.#pattern[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

/** Of something that may be left out both ways count; of something that may be repeated, once is enough. */
function repeated(texts: string[], { min, max }: Repetition): string[] {
  if (max === 0) return [''];
  if (min > 0 || texts.every((text) => text === marks.gap || text === marks.letters)) return texts;
  return ['', ...texts];
}

const joined = (before: readonly string[], after: readonly string[]): string[] =>
  before.length * after.length <= mostTexts
    ? before.flatMap((head) => after.map((tail) => head + tail))
    : thinned(before, Math.max(1, Math.floor(mostTexts / Math.min(after.length, mostTexts)))).flatMap((head) =>
        thinned(after).map((tail) => head + tail),
      );

/** Evenly, so that each part of a long list is still there. */
export function thinned<Item>(items: readonly Item[], most = mostTexts): Item[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, index) => items[Math.floor((index * items.length) / most)] as Item);
}
