/**
 * How much of a text patterns see. A process holds hundreds of conversations, and an ordinary pattern may take cubic time:
 * `a.*b.*c` on a text made for it took 17 s with 8 000 characters, 34 ms with 1 000, 4 ms with these.
 */
const longestText = 500;

export interface Match {
  /** Named groups that took part. */
  groups: Record<string, string>;
  /** The first unnamed or named group, else the whole match. */
  first: string;
}

export type Matcher = (pattern: string, text: string) => Match | undefined;

/** Case-insensitive and Unicode-aware; a pattern that is no regular expression matches nothing. */
export const matchPattern: Matcher = (pattern, text) => {
  const found = expressionOf(pattern)?.exec(text.slice(0, longestText));
  if (!found) return undefined;
  const groups = Object.entries(found.groups ?? {}).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return { groups: Object.fromEntries(groups), first: found.slice(1).find(Boolean) ?? found[0] };
};

const meaningless = 'qwx zzyv';

/**
 * Whether the pattern can be trusted to find its value in any sentence: it names a group after the value, and does not
 * simply take whatever words there are, as a pattern for the answer to "Your name?" does.
 */
export const findsAnywhere = (pattern: string, name: string): boolean =>
  pattern.includes(`(?<${name}>`) && matchPattern(pattern, meaningless) === undefined;

const compiled = new Map<string, RegExp | undefined>();
const mostCompiled = 5_000;

function expressionOf(pattern: string): RegExp | undefined {
  if (compiled.has(pattern)) return compiled.get(pattern);
  if (compiled.size >= mostCompiled) compiled.clear();
  const expression = tryCompile(pattern);
  compiled.set(pattern, expression);
  return expression;
}

function tryCompile(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'iu');
  } catch {
    return undefined;
  }
}
