import type { CompiledAgent, CompiledLanguage } from '../../agent-files/definition/compiled.ts';
import { speechNeeds } from '../../agent-files/definition/speech-needs.ts';
import type { Loaded } from './loading.ts';
import type { SessionRecord } from './session-record.ts';
import { ToolFailure } from './tool-guard.ts';

/** Whether this host can hear and speak the agent in a language. */
export type CanSpeak = (definition: CompiledAgent, language: string) => boolean;

interface Switching {
  loaded: Loaded;
  record: Pick<SessionRecord, 'setLanguage'>;
  isSpoken: boolean;
  canSpeak: CanSpeak;
}

/**
 * The session's language from now on, for a host that takes over too. Returns its name.
 * @throws ToolFailure in a spoken session where this host cannot hear or speak it; nothing has changed then
 */
export async function switchLanguage({ loaded, record, isSpoken, canSpeak }: Switching, code: string): Promise<string> {
  const { definition, session } = loaded;
  if (isSpoken && !canSpeak(definition, code)) {
    const wanted = definition.languages.find((configured) => configured.code === code)?.name ?? code;
    const current = languageOf(loaded).name;
    throw new ToolFailure(
      `This conversation is spoken, and ${wanted} cannot be heard or spoken here at the moment. Tell the person so, and go on in ${current}.`,
    );
  }
  await record.setLanguage(code, speechNeeds(definition, code));
  session.language = code;
  return languageOf(loaded).name;
}

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
