import type { Explanation } from '../../contract/wording.ts';

/**
 * Whether the schema found no fault in a part, nor around or inside it: `languages`, `*` and `code` as path ask for the
 * codes of all languages. Checks that read a part only when it is sound need not fear values of the wrong kind.
 */
export type Sound = (...path: readonly string[]) => boolean;

export function soundnessOf(explanations: readonly Explanation[]): Sound {
  const faulty = explanations
    // A field too many does not keep the others from being read.
    .filter(({ rule }) => rule !== 'unknown-field')
    .map(({ path, missing }) => (missing === undefined ? path : [...path, missing]));
  return (...path) => !faulty.some((other) => overlap(path, other));
}

function overlap(path: readonly string[], other: readonly string[]): boolean {
  const shared = Math.min(path.length, other.length);
  return Array.from({ length: shared }, (_, depth) => [path[depth], other[depth]]).every(
    ([a, b]) => a === b || a === '*' || b === '*',
  );
}
