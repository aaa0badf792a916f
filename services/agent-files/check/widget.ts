/** What the schema of the widget cannot say: languages and voices that the agent has, and a microphone that it permits. */
import type { AgentFile } from '../../contract/generated/agent.ts';
import { checkLocalized, includesCode } from '../definition/localized.ts';
import type { Finding } from '../faults.ts';

export function checkWidget({ widget, sessions, languages }: AgentFile): Finding[] {
  if (!widget) return [];
  const codes = languages.map(({ code }) => code);
  return [
    ...checkLanguage(widget.language, codes),
    ...checkVoice(widget, languages),
    ...checkMode(widget.mode, sessions.microphone),
    ...checkLocalized(widget.greeting ?? '', ['widget', 'greeting'], codes),
    ...checkLocalized(widget.consent ?? '', ['widget', 'consent'], codes),
    ...Object.entries(widget.texts ?? {}).flatMap(([name, text]) =>
      checkLocalized(text, ['widget', 'texts', name], codes, []),
    ),
  ];
}

function checkLanguage(language: string | undefined, codes: readonly string[]): Finding[] {
  if (language === undefined || includesCode(codes, language)) return [];
  const message = `The widget's language must be one of the agent's (${codes.join(', ')}), not "${language}".`;
  return [{ path: ['widget', 'language'], rule: 'widget-language', message }];
}

/** Without a language of its own the widget speaks whatever the browser asks for: then a voice of any will do. */
function checkVoice(
  { language, voiceId }: NonNullable<AgentFile['widget']>,
  languages: AgentFile['languages'],
): Finding[] {
  if (voiceId === undefined) return [];
  const spoken = languages.filter(({ code }) => language === undefined || includesCode([code], language));
  const ids = spoken.flatMap(({ voices }) => voices.map(({ id }) => id));
  if (ids.includes(voiceId)) return [];
  const which = language === undefined ? "the agent's voices" : `the voices of "${language}"`;
  const message = `The widget's voice must be one of ${which} (${ids.join(', ') || 'there are none'}), not "${voiceId}".`;
  return [{ path: ['widget', 'voiceId'], rule: 'widget-voice', message }];
}

function checkMode(mode: string, microphone: boolean): Finding[] {
  if (mode !== 'voice' || microphone) return [];
  const message = 'Nobody can speak to this agent (sessions.microphone: false): write text, or permit the microphone.';
  return [{ path: ['widget', 'mode'], rule: 'widget-mode', message }];
}
