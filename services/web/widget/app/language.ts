import type { LanguagesForWidget } from '../../../contract/widget.ts';
import type { Settings } from '../shapes.ts';

/** The agent's language for this page: the one that is set, else the first of the browser's that it speaks, else its own default. */
export function languageOf(
  { languages, defaultLanguage }: LanguagesForWidget,
  { language }: Settings,
  wanted: readonly string[],
): string {
  const spoken = (code: string) =>
    languages.find((known) => known.toLowerCase() === code.toLowerCase()) ??
    languages.find((known) => base(known) === base(code));
  for (const code of language === undefined ? wanted : [language]) {
    const found = spoken(code);
    if (found !== undefined) return found;
  }
  return defaultLanguage;
}

const base = (code: string) => code.split('-')[0]?.toLowerCase();

/** The voice that is set, where the language has it. */
export const voiceOf = (
  { languageConfigs }: LanguagesForWidget,
  { voiceId }: Settings,
  language: string,
): string | undefined =>
  languageConfigs.find(({ code }) => code === language)?.availableVoices.find(({ id }) => id === voiceId)?.id;

/** What the page or the agent's file sets and this agent does not have, each as a sentence that names what is allowed. */
export function unknownTo(facts: LanguagesForWidget, { language, voiceId }: Settings, chosen: string): string[] {
  const faults: string[] = [];
  if (language !== undefined && !facts.languages.some((code) => code.toLowerCase() === language.toLowerCase()))
    faults.push(
      `the agent does not speak "${language}" (allowed: ${facts.languages.join(', ')}); "${chosen}" is used.`,
    );
  const voices = facts.languageConfigs.find(({ code }) => code === chosen)?.availableVoices ?? [];
  if (voiceId !== undefined && !voices.some(({ id }) => id === voiceId)) {
    const allowed = voices.map(({ id }) => id).join(', ') || 'none';
    faults.push(`the agent has no voice "${voiceId}" in "${chosen}" (allowed: ${allowed}); its default is used.`);
  }
  return faults;
}
