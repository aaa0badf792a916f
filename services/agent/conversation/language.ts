import type { CompiledLanguage } from '../../contract/agents/compiled.ts';
import type { Loaded } from './loading.ts';

/** The language that the session has at the moment. */
export function languageOf({ definition, session }: Loaded): CompiledLanguage {
  const language =
    definition.languages.find((configured) => configured.code === session.language) ?? definition.languages[0];
  if (!language) throw new Error('an agent without languages cannot be activated');
  return language;
}

/** The session's own voice, while it speaks the language of that voice; else the language's default. */
export const voiceOf = (loaded: Loaded): string | undefined =>
  languageOf(loaded).voices.find(({ id }) => id === loaded.session.voice_id)?.id;

/** A line by language code, `*` for any. */
export const inLanguage = (lines: Record<string, string>, code: string): string => lines[code] ?? lines['*'] ?? '';
