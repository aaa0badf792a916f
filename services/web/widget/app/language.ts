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
