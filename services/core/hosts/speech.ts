import type { CompiledAgent, CompiledLanguage, CompiledVoice } from '../../agent-files/definition/compiled.ts';
import { type SpeechNeeds, speechNeeds, unmetNeeds, voiceNeeds } from '../../agent-files/definition/speech-needs.ts';
import { sharedLook } from '../../process/shared-look.ts';
import { settings } from '../../settings/settings.ts';
import type { Database } from '../../store/database.ts';
import { type HostSpeech, listHostSpeech } from '../../store/tables/hosts.ts';

/** What each host that takes new sessions can do for spoken ones. Empty: no host is there, and nothing is known. */
export type HostsSpeech = readonly HostSpeech[];

/** A host that has just come may be overlooked for so long. */
const freshMs = 1_000;

/** At most a second old, however many ask. */
export const watchHostsSpeech = (db: Database): (() => Promise<HostsSpeech>) =>
  sharedLook(() => listHostSpeech(db), freshMs);

export const canBeSpoken = (needs: SpeechNeeds, hosts: HostsSpeech): boolean =>
  hosts.some(
    ({ takes_spoken, abilities }) => takes_spoken && (!abilities || unmetNeeds(needs, new Set(abilities)).length === 0),
  );

/** Those voices of a language that a session could have now; all of them while no host is there that could say. */
export const speakableVoices = (
  definition: CompiledAgent,
  { code, voices }: CompiledLanguage,
  hosts: HostsSpeech,
): CompiledVoice[] =>
  voices.filter(
    (voice) =>
      hosts.length === 0 ||
      canBeSpoken([...speechNeeds(definition, code), ...voiceNeeds(definition, code, voice)], hosts),
  );

/** Why no host can speak it, for the operator: what the host lacks that lacks least. */
export function whyUnspoken(needs: SpeechNeeds, hosts: HostsSpeech): string[] {
  const speaking = hosts.filter(({ takes_spoken }) => takes_spoken);
  if (speaking.length === 0) return [`No agent host takes spoken sessions (${settings.voiceCapacity.name}).`];
  return speaking
    .map(({ abilities }) => unmetNeeds(needs, new Set(abilities ?? [])))
    .reduce((least, unmet) => (unmet.length < least.length ? unmet : least));
}
