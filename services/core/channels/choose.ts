import type { CompiledAgent, CompiledLanguage, CompiledVoice } from '../../agent-files/definition/compiled.ts';
import { type SpeechNeeds, speechNeeds } from '../../agent-files/definition/speech-needs.ts';
import { problems } from '../../contract/problems.ts';
import type { InteractionMode } from '../../contract/session.ts';
import { availableVoices, canBeSpoken, type HostsSpeech, needsOfVoice, whyUnspoken } from '../hosts/speech.ts';

/** What whoever opens a session may ask for; the agent's defaults stand for what is left out. */
export interface Wishes {
  language?: string | undefined;
  voiceId?: string | undefined;
  interactionMode?: InteractionMode | undefined;
}

export interface Choice {
  language: CompiledLanguage;
  voiceId: string | null;
  mode: InteractionMode;
  /** Null in a written session. */
  needs: SpeechNeeds | null;
}

/** What a session is held in. @throws Problem `language_not_configured`, `voice_not_available`, `voice_unavailable` */
export async function choose(
  definition: CompiledAgent,
  wishes: Wishes,
  hostsSpeech: () => Promise<HostsSpeech>,
): Promise<Choice> {
  const language = findLanguage(definition, wishes.language ?? definition.defaultLanguage);
  const voiceId = findVoice(language, language.voices, wishes.voiceId);
  const mode = wishes.interactionMode ?? definition.interactionMode;
  if (mode !== 'VOICE') return { language, voiceId, mode, needs: null };
  const needs = speechNeeds(definition, language.code);
  if (voiceId === null) return { language, voiceId, mode, needs };
  const hosts = await hostsSpeech();
  // Where nobody can speak at all, that is what is wrong, and not the voice.
  if (!canBeSpoken(needs, hosts)) return { language, voiceId, mode, needs };
  const spoken = findVoice(language, availableVoices(definition, language, hosts), wishes.voiceId);
  return { language, voiceId: voiceNow(definition, language, { voiceId: spoken, hosts, wishes }), mode, needs };
}

/** A voice that was wished for and cannot be had now is refused; where none was, whoever speaks instead of the default one has no name. */
function voiceNow(
  definition: CompiledAgent,
  { code, voices }: CompiledLanguage,
  { voiceId, hosts, wishes }: { voiceId: string | null; hosts: HostsSpeech; wishes: Wishes },
): string | null {
  const voice = voices.find(({ id }) => id === voiceId);
  if (!voice) return null;
  const needs = needsOfVoice(definition, code, voice);
  if (canBeSpoken(needs, hosts)) return voice.id;
  if (wishes.voiceId === undefined) return null;
  throw problems.voiceAway(voice.id, whyUnspoken(needs, hosts));
}

function findLanguage({ languages }: CompiledAgent, code: string): CompiledLanguage {
  const found = languages.find((language) => language.code.toLowerCase() === code.toLowerCase());
  if (found) return found;
  throw problems.languageNotConfigured(
    code,
    languages.map((language) => language.code),
  );
}

function findVoice(
  { code }: CompiledLanguage,
  voices: readonly CompiledVoice[],
  voiceId: string | undefined,
): string | null {
  if (voiceId === undefined) return voices.find((voice) => voice.default)?.id ?? null;
  if (voices.some((voice) => voice.id === voiceId)) return voiceId;
  throw problems.voiceNotAvailable(
    voiceId,
    code,
    voices.map((voice) => voice.id),
  );
}
