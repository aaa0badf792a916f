import type { stt, tts } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import type {
  CompiledAgent,
  CompiledRecognition,
  CompiledSynthesis,
  CompiledVoice,
  SpeechProvider,
} from '../../agent-files/definition/compiled.ts';
import { factsOf, keyName } from '../../agent-files/definition/provider-facts.ts';
import { reachOf, serverProblem, serversIn } from '../../agent-files/definition/provider-servers.ts';
import {
  type Ability,
  providerOf,
  recognisedBy,
  recognitionOf,
  speechNeeds,
  spokenBy,
  synthesisOf,
  unmetNeeds,
} from '../../agent-files/definition/speech-needs.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Logger } from '../../process/logger.ts';
import { checkedAddresses } from '../../process/outbound/reach.ts';
import type { Variables } from '../../process/variables.ts';
import type { LocalEngines } from '../providers/local/engines.ts';
import { providerNamed } from '../providers/registry.ts';
import type { Abilities } from './abilities.ts';
import { SpeechNotConfigured } from './configuration.ts';
import type { SpeechFailure } from './failure.ts';
import { KeptLines } from './kept-lines.ts';
import { pronouncer } from './pronunciations.ts';
import { HeardInOrder, type Listener } from './recognition.ts';
import type { RecognitionSettings, SpeechMakers } from './settings.ts';
import { SpokenInOrder } from './synthesis.ts';
import type { Voice } from './voice.ts';

export { type LocalEngines, openLocalEngines } from '../providers/local/engines.ts';
export { type Abilities, findAbilities } from './abilities.ts';
export { SpeechNotConfigured } from './configuration.ts';
export { SpeechFailure, speechFailureOf } from './failure.ts';
export { KeptLines } from './kept-lines.ts';

/** Speech to text and text to speech of one session in one language. Switching the language opens another one. */
export interface Speech {
  stt: stt.STT;
  tts: tts.TTS;
  /** Has the sound of a line made, should somebody have to hear it while the voice is late. Never rejects: undefined where there is none. */
  prepare(line: string): Promise<readonly AudioFrame[] | undefined>;
  close(): Promise<void>;
}

export interface SpeechDeps {
  env: Variables;
  logger: Logger;
  /** One for the process: `openLocalEngines`. */
  engines: LocalEngines;
  /** What is used: `findAbilities`. */
  abilities: Abilities;
  /** One for the process, too. Without it each conversation has its own. */
  lines?: KeptLines;
}

export interface SpeechChoice {
  language: string;
  /** The voiceId of the session; undefined: the language's default voice. */
  voice: string | undefined;
}

/** Whether a host that can do this can hear and speak the agent in a language. */
export const canSpeak = (definition: CompiledAgent, language: string, abilities: Abilities): boolean =>
  unmetNeeds(speechNeeds(definition, language), abilities).length === 0;

/**
 * What a session hears and speaks with: the agent's providers in order, without those that lack something. What fails in
 * it later is a `SpeechFailure`.
 *
 * @throws SpeechNotConfigured when no provider of recognition or of synthesis can be used
 */
export async function openSpeech(definition: CompiledAgent, choice: SpeechChoice, deps: SpeechDeps): Promise<Speech> {
  const { language } = choice;
  const unmet = unmetNeeds(speechNeeds(definition, language), deps.abilities);
  if (unmet.length > 0) throw new SpeechNotConfigured(unmet.join(' '));
  const can = (...oneOf: Ability[]) => oneOf.some((ability) => deps.abilities.has(ability));
  const synthesis = synthesisOf(definition, language).filter((declared) => can(spokenBy(declared, language)));
  const recognition = recognitionOf(definition, language).filter((declared) =>
    can(...recognisedBy(declared, definition, language)),
  );
  const [voices, listeners] = await Promise.all([
    opened(synthesis.map((declared) => makeVoice(definition, declared, choice, deps))),
    opened(recognition.map((declared) => makeListener(definition, declared, choice, deps))),
  ]);
  const [voice, ...otherVoices] = voices;
  const [listener, ...otherListeners] = listeners;
  if (!voice || !listener) throw new SpeechNotConfigured('The agent declares nothing to speak or to recognise with.');
  const onMended = (failure: SpeechFailure) =>
    deps.logger.warn(
      { err: failure, provider: failure.provider, kind: failure.kind },
      'speech failed and is tried again',
    );
  const { pronunciations = {} } = definition.languages.find(({ code }) => code === language) ?? {};
  // A voice that was fetched meanwhile says what another was to say.
  const said = JSON.stringify([synthesis, choice, pronunciations, voices.map(({ model }) => model)]);
  const lines = (deps.lines ?? new KeptLines()).of(said);
  const pronounce = pronouncer(pronunciations);
  const tts = new SpokenInOrder({ voices: [voice, ...otherVoices], language, pronounce, onMended, lines });
  const stt = new HeardInOrder({ listeners: [listener, ...otherListeners], onMended });
  return {
    stt,
    tts,
    prepare: (line) => bestEffort('its sound is asked for when it is wanted', tts.prepare(line)),
    close: async () => {
      await Promise.all([stt.close(), tts.close()]);
    },
  };
}

/** Those that could be opened, in order: the engines of this machine may be broken where a provider works. Rejects when none could. */
async function opened<Item>(opening: readonly Promise<Item>[]): Promise<Item[]> {
  const results = await Promise.allSettled(opening);
  const items = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (items.length === 0 && failed) throw failed.reason;
  return items;
}

/** A plugin is loaded when the first agent names its provider. */
async function makersOf(provider: string): Promise<SpeechMakers> {
  const speech = providerNamed(provider)?.speech;
  if (!speech) throw new SpeechNotConfigured(`The speech provider "${provider}" is not built in.`);
  return speech.load();
}

async function makeListener(
  definition: CompiledAgent,
  declared: CompiledRecognition,
  { language }: SpeechChoice,
  deps: SpeechDeps,
): Promise<Listener> {
  const { provider, model, keywords, engine } = declared;
  await mayBeReached(declared, deps);
  const { listener } = await makersOf(provider);
  return listener(
    { provider, ...accountOf(declared, deps.env), model, language, keywords, engine },
    { definition, ...deps },
  );
}

async function makeVoice(
  definition: CompiledAgent,
  declared: CompiledSynthesis,
  choice: SpeechChoice,
  deps: SpeechDeps,
): Promise<Voice> {
  const { provider, model, speed } = declared;
  await mayBeReached(declared, deps);
  const named = namedVoice(definition, provider, choice);
  const { voice } = await makersOf(provider);
  return voice(
    {
      provider,
      ...accountOf(declared, deps.env),
      model,
      voice: named && (named.model ?? named.id),
      language: choice.language,
      speed,
    },
    { definition, ...deps },
  );
}

/**
 * Plugins connect by themselves, so what a server's name leads to is looked at as a session opens. A name that changes its answer after
 * that reaches no server inside: without a certificate for it there is no connection.
 * @throws SpeechNotConfigured
 */
async function mayBeReached({ provider, baseUrl }: CompiledRecognition | CompiledSynthesis, { env }: SpeechDeps) {
  if (baseUrl === undefined) return;
  const servers = serversIn(env);
  const problem = serverProblem(baseUrl, servers);
  if (problem !== undefined) throw new SpeechNotConfigured(`${provider} cannot be asked at ${baseUrl}. ${problem}`);
  try {
    await checkedAddresses(new URL(baseUrl).hostname, reachOf(baseUrl, servers));
  } catch (cause) {
    throw new SpeechNotConfigured(`${provider} cannot be reached at ${baseUrl}.`, { cause });
  }
}

type Account = Pick<RecognitionSettings, 'apiKey' | 'baseUrl'>;

const accountOf = (
  { provider, apiKey, baseUrl }: CompiledRecognition | CompiledSynthesis,
  env: Variables,
): Account => ({
  apiKey: env[keyName(provider, { apiKey, baseUrl }) ?? ''] ?? '',
  baseUrl: baseUrl ?? factsOf(provider)?.endpoint,
});

/** The session's voice if it is one of this provider's; a fallback by another provider speaks with its own default. */
function namedVoice(
  definition: CompiledAgent,
  provider: SpeechProvider,
  { language, voice }: SpeechChoice,
): CompiledVoice | undefined {
  const voices = definition.languages.find(({ code }) => code === language)?.voices ?? [];
  const chosen = voices.find(({ id, default: isDefault }) => (voice === undefined ? isDefault : id === voice));
  return chosen && providerOf(synthesisOf(definition, language), chosen.provider) === provider ? chosen : undefined;
}
