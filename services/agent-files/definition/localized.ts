import type { LocalizedText } from '../../contract/generated/agent.ts';
import type { Finding } from '../faults.ts';

/** Whether a language is configured; codes compare without case. */
export const includesCode = (codes: readonly string[], code: string): boolean =>
  codes.some((known) => known.toLowerCase() === code.toLowerCase());

/** A text must be there for every language in which it may be said, and for no other. */
export function checkLocalized(
  text: LocalizedText,
  path: readonly string[],
  codes: readonly string[],
  said = codes,
): Finding[] {
  if (typeof text === 'string') return [];
  const given = Object.keys(text);
  const unknown = given
    .filter((code) => code !== '*' && !includesCode(codes, code))
    .map(
      (code): Finding => ({
        path: [...path, code],
        at: 'key',
        rule: 'text-language',
        message: `The agent does not speak "${code}"; its languages are ${codes.join(', ')}, and * is any other.`,
      }),
    );
  if (given.includes('*')) return unknown;
  const without = said.filter((code) => !includesCode(given, code));
  if (without.length === 0) return unknown;
  return [
    ...unknown,
    {
      path,
      at: 'key',
      rule: 'text-language',
      message: `A text for ${without.join(', ')} is missing here; add it, or one for *.`,
    },
  ];
}
