import type {
  AgentSettings,
  CompiledAgent,
  CompiledLanguage,
  CompiledVoice,
} from '../../agent-files/definition/compiled.ts';
import { missingKeys } from '../../agent-files/definition/provider-keys.ts';
import { type SpeechNeeds, speechNeeds, unmetNeeds, voiceNeeds } from '../../agent-files/definition/speech-needs.ts';
import { sharedLook } from '../../process/shared-look.ts';
import { settings } from '../../settings/settings.ts';
import type { Database } from '../../store/database.ts';
import { type HostSpeech, listHostSpeech } from '../../store/tables/hosts.ts';

/** What hosts can do for spoken sessions, by kind. Empty: none was ever there, and nothing is known. */
export type HostsSpeech = readonly HostSpeech[];

/** A host that has just come may be overlooked for so long. */
const freshMs = 1_000;

/** At most a second old, however many ask. */
export const watchHostsSpeech = (db: Database): (() => Promise<HostsSpeech>) =>
  sharedLook(() => listHostSpeech(db), freshMs);

/** Whether it can be talked to in a language: as the agent permits it and the hosts that are there can. */
export const speaks = (
  { definition, settings }: { definition: CompiledAgent; settings: AgentSettings },
  code: string,
  hosts: HostsSpeech,
): boolean => settings.sessions.microphone && canBeSpoken(speechNeeds(definition, code), hosts);

/** Whether a host that is there can speak it. */
export const canBeSpoken = (needs: SpeechNeeds, hosts: HostsSpeech): boolean =>
  hosts.some((kind) => kind.is_there && canSpeak(kind, needs));

const canSpeak = ({ takes_spoken, abilities }: HostSpeech, needs: SpeechNeeds): boolean =>
  takes_spoken && (!abilities || unmetNeeds(needs, new Set(abilities)).length === 0);

/** What it takes that this voice speaks in a session of its language. */
export const needsOfVoice = (definition: CompiledAgent, code: string, voice: CompiledVoice): SpeechNeeds => [
  ...speechNeeds(definition, code),
  ...voiceNeeds(definition, code, voice),
];

/** Those voices of a language that this installation is set up to speak with, whichever hosts are up; all of them while nothing is known. */
export const availableVoices = (
  definition: CompiledAgent,
  { code, voices }: CompiledLanguage,
  hosts: HostsSpeech,
): CompiledVoice[] =>
  voices.filter(
    (voice) => hosts.length === 0 || hosts.some((kind) => canSpeak(kind, needsOfVoice(definition, code, voice))),
  );

/** A sentence for each key that an agent's providers need and that no host has; none while nothing is known of the hosts. */
export function keysMissingOn(definition: CompiledAgent, hosts: HostsSpeech): string[] {
  const told = hosts.filter(({ abilities }) => abilities !== null);
  if (told.length === 0) return [];
  const keys = told
    .flatMap(({ abilities }) => abilities ?? [])
    .filter((ability) => ability.startsWith('key:'))
    .map((ability) => ability.slice('key:'.length));
  return missingKeys(definition, Object.fromEntries(keys.map((name) => [name, 'set'])));
}

/** Why no host can speak it, for the operator: what the host lacks that lacks least. */
export function whyUnspoken(needs: SpeechNeeds, hosts: HostsSpeech): string[] {
  const speaking = hosts.filter(({ takes_spoken, is_there }) => takes_spoken && is_there);
  if (speaking.length === 0) return [`No agent host takes spoken sessions (${settings.voiceCapacity.name}).`];
  return speaking
    .map(({ abilities }) => unmetNeeds(needs, new Set(abilities ?? [])))
    .reduce((least, unmet) => (unmet.length < least.length ? unmet : least));
}
