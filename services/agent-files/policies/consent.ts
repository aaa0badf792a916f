import type { ConsentRule } from '../../contract/generated/policies.ts';
import type { CompiledLanguage } from '../definition/compiled.ts';
import type { Policy, PolicyFinding } from './policy.ts';
import { canBeSpokenTo } from './spoken.ts';

/** A greeting contains the sentence that its language or country asks for. */
export const consent: Policy<readonly ConsentRule[]> = (agent, rules) =>
  rules
    .filter(({ voiceOnly }) => !voiceOnly || canBeSpokenTo(agent))
    .flatMap((rule) => agent.languages.flatMap((language, index) => missingConsent(language, index, rule)));

function missingConsent({ code, greeting }: CompiledLanguage, index: number, rule: ConsentRule): PolicyFinding[] {
  if (!concerns(code, rule) || plain(greeting ?? '').includes(plain(rule.says))) return [];
  return [
    {
      path: ['languages', `${index}`, 'greeting'],
      message: `The greeting in "${code}" must contain the operator's sentence "${rule.says.trim()}".`,
    },
  ];
}

/** Exported for its tests: languages by BCP 47 prefix, countries by the region in the code. */
export function concerns(
  code: string,
  { languages, countries }: Pick<ConsentRule, 'languages' | 'countries'>,
): boolean {
  if (languages.length === 0 && countries.length === 0) return true;
  const parts = code.toLowerCase().split('-');
  const spoken = languages.some((language) => `${code.toLowerCase()}-`.startsWith(`${language.toLowerCase()}-`));
  return spoken || countries.some((country) => parts.slice(1).includes(country.toLowerCase()));
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim();
