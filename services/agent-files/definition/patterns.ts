/**
 * Regular expressions of scripts. They run on what people write, in a process that other conversations share: one that
 * backtracks for seconds would stop them all. So an upper bound of the work is computed from the expression itself.
 */

const longestPattern = 500;

/** What an unbounded repetition may match: twice what the scripted model looks at of a text. */
const unboundedWidth = 1_000;
/** For a repeated space, digit or single character: what stands beside it rarely matches the same. */
const narrowWidth = 10;
/** Ways to match from one position; times 1 000 positions that is some tens of milliseconds at the very worst. */
const mostWays = 20_000;

/** A sentence that says what is wrong with the pattern, or undefined when it is good to use. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > longestPattern)
    return `The pattern is longer than ${longestPattern} characters; split it into several.`;
  try {
    new RegExp(pattern, 'iu');
  } catch (error) {
    return `The pattern is not a regular expression: ${reasonOf(error)}.`;
  }
  return new CostReader(pattern).problem();
}

/** Names of the pattern's groups, and whether it has one without a name. */
export function groupsOf(pattern: string): { named: string[]; unnamed: boolean } {
  const bare = pattern.replaceAll(/\\./gsu, '').replaceAll(/\[[^\]]*\]/gu, '');
  return {
    named: [...bare.matchAll(/\(\?<([A-Za-z_$][\w$]*)>/gu)].map((match) => match[1] ?? ''),
    unnamed: /\((?!\?)/u.test(bare),
  };
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split(': ').at(-1) ?? '') : String(error);

interface Cost {
  /** Ways in which the part can match. */
  ways: number;
  /** Whether the part holds a repetition or a choice, so that repeating it multiplies the ways. */
  varies: boolean;
}

export interface Repetition {
  min: number;
  max: number;
}

/** The repetition that stands at this place, such as `*` or `{2,3}?`, and how many characters it takes. */
export function readRepetition(pattern: string, at: number): (Repetition & { length: number }) | undefined {
  const shape = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy;
  shape.lastIndex = at;
  const found = shape.exec(pattern);
  if (!found) return undefined;
  const [{ length }, sign, min, comma, max] = found;
  if (sign !== undefined) return { length, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  const least = Number(min);
  return { length, min: least, max: comma === '' ? least : max === '' ? Infinity : Number(max) };
}

class CostReader {
  readonly #pattern: string;
  #at = 0;
  #problem: string | undefined;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  problem(): string | undefined {
    const { ways } = this.#alternatives();
    if (this.#problem === undefined && ways > mostWays) {
      return 'The pattern could take very long on some texts: give its repetitions a bound, such as .{0,40} instead of .*';
    }
    return this.#problem;
  }

  /** Of alternatives that hold no repetition hardly two match at one position, so they count as one. */
  #alternatives(): Cost {
    const costs = [this.#sequence()];
    while (this.#take('|')) costs.push(this.#sequence());
    const varying = costs.filter(({ ways }) => ways > 1).reduce((sum, { ways }) => sum + ways, 0);
    const fixed = costs.some(({ ways }) => ways === 1) ? 1 : 0;
    return { ways: varying + fixed, varies: costs.length > 1 || costs.some(({ varies }) => varies) };
  }

  #sequence(): Cost {
    const total: Cost = { ways: 1, varies: false };
    let afterUnbounded = false;
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#next())) {
      const { cost, narrow } = this.#atom();
      const repetition = this.#repetition();
      total.ways *= this.#repeated(cost, repetition, narrow && !afterUnbounded);
      total.varies ||= cost.varies || (repetition !== undefined && repetition.min !== repetition.max);
      if (repetition !== undefined || cost.ways > 0)
        afterUnbounded = repetition !== undefined && repetition.max === Infinity;
    }
    return total;
  }

  #repeated(cost: Cost, repetition: Repetition | undefined, narrow: boolean): number {
    if (repetition === undefined) return cost.ways;
    const { min, max } = repetition;
    if (max <= 1) return cost.ways + (max - min);
    if (max > 1 && cost.varies) {
      this.#problem ??=
        'The pattern repeats a group that itself repeats or has a choice, which could take very long: write it without one of the two.';
      return 1;
    }
    const most = narrow ? narrowWidth : unboundedWidth;
    return cost.ways * Math.min(max === Infinity ? most : max - min + 1, unboundedWidth);
  }

  #atom(): { cost: Cost; narrow: boolean } {
    const plain: Cost = { ways: 1, varies: false };
    if (this.#take('(')) return { cost: this.#group(), narrow: false };
    if (this.#next() === '[') return { cost: plain, narrow: this.#characterClass() };
    if (this.#take('\\')) return { cost: plain, narrow: this.#escape() };
    const character = this.#next();
    this.#at += character.length;
    return { cost: plain, narrow: character !== '.' };
  }

  #group(): Cost {
    const opening = this.#read(/\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:)/uy)?.[0] ?? '';
    const cost = this.#alternatives();
    this.#take(')');
    // What a look-around tried is done with, whatever the rest of the pattern tries.
    const looksAround = /^\?<?[=!]/u.test(opening);
    return looksAround && cost.ways <= mostWays ? { ways: 1, varies: true } : cost;
  }

  #characterClass(): boolean {
    const whole = this.#read(/\[(?:\\.|[^\]\\])*\]?/suy)?.[0] ?? '';
    return !/^\[\^|\\[wWSD]|\\p/iu.test(whole.replaceAll('\\s', '').replaceAll('\\d', '')) && !whole.includes('-z');
  }

  #escape(): boolean {
    const whole = this.#read(/(?:[pPu]\{[^}]*\}|k<[^>]*>|[1-9][0-9]*|.)/suy)?.[0] ?? '';
    if (/^(?:k<|[1-9])/u.test(whole))
      this.#problem ??= 'The pattern refers back to a group, which could take very long: write the text out.';
    return !/^[wWSDpP]/u.test(whole);
  }

  #repetition(): Repetition | undefined {
    const found = readRepetition(this.#pattern, this.#at);
    this.#at += found?.length ?? 0;
    return found;
  }

  /** What stands here, if it has this (sticky) shape. */
  #read(shape: RegExp): RegExpExecArray | undefined {
    shape.lastIndex = this.#at;
    const found = shape.exec(this.#pattern);
    if (found) this.#at += found[0].length;
    return found ?? undefined;
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
