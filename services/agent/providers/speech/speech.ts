import type { stt, tts } from '@livekit/agents';
import type {
  CompiledAgent,
  CompiledRecognition,
  CompiledSynthesis,
  CompiledVoice,
  SpeechProvider,
} from '../../../contract/agents/compiled.ts';
import { type Environment, keyName } from '../../../contract/agents/provider-keys.ts';
import type { Logger } from '../../../core/logger.ts';
import type { SpeechFailure } from './failure.ts';
import { type LocalEngines, localRecognitionProblem, localSynthesisProblem } from './local/engines.ts';
import { localRecognition } from './local/hearing.ts';
import { localVoice } from './local/synthesis.ts';
import { espeakVoice } from './local/voices.ts';
import { HeardInOrder, type Listener } from './recognition.ts';
import { SpokenInOrder } from './synthesis.ts';
import type { Voice } from './voice.ts';

export { SpeechFailure, speechFailureOf } from './failure.ts';
export { type LocalEngines, openLocalEngines } from './local/engines.ts';

/** Speech to text and text to speech of one session in one language. Switching the language opens another one. */
export interface Speech {
  stt: stt.STT;
  tts: tts.TTS;
  close(): Promise<void>;
}

export interface SpeechDeps {
  env: Environment;
  logger: Logger;
  /** One for the process: `openLocalEngines`. */
  engines: LocalEngines;
}

export interface SpeechChoice {
  language: string;
  /** The voiceId of the session; undefined: the language's default voice. */
  voice: string | undefined;
}

/** An agent that speaks by providers which this deployment cannot use as it is set up; the message names what is missing. */
export class SpeechNotConfigured extends Error {
  override readonly name = 'SpeechNotConfigured';
}

/**
 * What a session hears and speaks with: the agent's providers in order, without those that lack something. What fails in
 * it later is a `SpeechFailure`.
 *
 * @throws SpeechNotConfigured when no provider of recognition or of synthesis can be used
 */
export async function openSpeech(definition: CompiledAgent, choice: SpeechChoice, deps: SpeechDeps): Promise<Speech> {
  const available = speechAvailable(definition, deps.env);
  if (!available.available) throw new SpeechNotConfigured(available.reason);
  const [voices, listeners] = await Promise.all([
    opened(usableSynthesis(definition, deps.env).map((declared) => makeVoice(definition, declared, choice, deps))),
    opened(usableRecognition(definition, deps.env).map((declared) => makeListener(definition, declared, choice, deps))),
  ]);
  const [voice, ...otherVoices] = voices;
  const [listener, ...otherListeners] = listeners;
  if (!voice || !listener) throw new SpeechNotConfigured('The agent declares nothing to speak or to recognise with.');
  const onMended = (failure: SpeechFailure) =>
    deps.logger.warn(
      { err: failure, provider: failure.provider, kind: failure.kind },
      'speech failed and is tried again',
    );
  const tts = new SpokenInOrder({ voices: [voice, ...otherVoices], language: choice.language, onMended });
  const stt = new HeardInOrder({ listeners: [listener, ...otherListeners], onMended });
  return {
    stt,
    tts,
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
async function makeListener(
  definition: CompiledAgent,
  { provider, model, baseUrl, apiKey, keywords }: CompiledRecognition,
  { language }: SpeechChoice,
  { env, engines }: SpeechDeps,
): Promise<Listener> {
  if (provider === 'local') return { provider, stt: await localRecognition(definition, language, engines) };
  const settings = { apiKey: env[keyName(provider, apiKey)] ?? '', baseUrl, model, language, keywords };
  switch (provider) {
    case 'deepgram':
      return (await import('./cloud/deepgram.ts')).deepgramListener(settings);
    case 'elevenlabs':
      return (await import('./cloud/elevenlabs.ts')).elevenlabsListener(settings);
    case 'cartesia':
      return (await import('./cloud/cartesia.ts')).cartesiaListener(settings);
    case 'openai':
      return (await import('./cloud/openai.ts')).openaiListener(settings);
    default:
      return provider satisfies never;
  }
}

async function makeVoice(
  definition: CompiledAgent,
  { provider, model, baseUrl, apiKey, speed }: CompiledSynthesis,
  choice: SpeechChoice,
  deps: SpeechDeps,
): Promise<Voice> {
  const { env, engines } = deps;
  const named = namedVoice(definition, provider, choice);
  const voice = named && (named.model ?? named.id);
  const { language } = choice;
  if (provider === 'local') return localVoice(engines.espeak, { voice: await localName(voice, language, deps), speed });
  const settings = { apiKey: env[keyName(provider, apiKey)] ?? '', baseUrl, model, voice, language, speed };
  switch (provider) {
    case 'deepgram':
      return (await import('./cloud/deepgram.ts')).deepgramVoice(settings);
    case 'elevenlabs':
      return (await import('./cloud/elevenlabs.ts')).elevenlabsVoice(settings);
    case 'cartesia':
      return (await import('./cloud/cartesia.ts')).cartesiaVoice(settings);
    case 'openai':
      return (await import('./cloud/openai.ts')).openaiVoice(settings);
    default:
      return provider satisfies never;
  }
}

/** A voice that this machine lacks would fail with every sentence: the language's own speaks instead. */
async function localName(
  voice: string | undefined,
  language: string,
  { engines, logger }: SpeechDeps,
): Promise<string> {
  if (voice === undefined) return espeakVoice(language);
  if (await engines.espeak.hasVoice(voice)) return voice;
  logger.warn({ voice, language }, 'espeak-ng has no voice of this name; the default one of the language speaks');
  return espeakVoice(language);
}

/** The session's voice if it is one of this provider's; a fallback by another provider speaks with its own default. */
function namedVoice(
  { languages, speech }: CompiledAgent,
  provider: SpeechProvider,
  { language, voice }: SpeechChoice,
): CompiledVoice | undefined {
  const voices = languages.find(({ code }) => code === language)?.voices ?? [];
  const chosen = voices.find(({ id, default: isDefault }) => (voice === undefined ? isDefault : id === voice));
  return chosen && (chosen.provider ?? speech?.synthesis[0]?.provider ?? 'local') === provider ? chosen : undefined;
}

export type SpeechAvailability = { available: true } | { available: false; reason: string };

/** Whether sessions of this agent can be spoken here: at least one provider of recognition and one of synthesis can be used. */
export function speechAvailable(definition: CompiledAgent, env: Environment): SpeechAvailability {
  const recognition = recognitionOf(definition).map((declared) => recognitionProblem(declared, definition, env));
  const synthesis = synthesisOf(definition).map((declared) => synthesisProblem(declared, env));
  const reasons = [recognition, synthesis]
    .filter((problems) => !problems.includes(undefined))
    .map(([problem]) => problem ?? '');
  return reasons.length === 0 ? { available: true } : { available: false, reason: reasons.join(' ') };
}

const everyProvider: readonly SpeechProvider[] = ['local', 'deepgram', 'elevenlabs', 'cartesia', 'openai'];

/** Whether there are agents that can be spoken with here: some provider can recognise, and some provider can speak. */
export function canSpeak(env: Environment): boolean {
  const recognition = everyProvider.map((provider) => ({ provider, keywords: [] }));
  const synthesis = everyProvider.map((provider) => ({ provider, speed: 1 }));
  const scripted = { script: { rules: [], fallback: {} } } as unknown as CompiledAgent;
  return (
    recognition.some((declared) => recognitionProblem(declared, scripted, env) === undefined) &&
    synthesis.some((declared) => synthesisProblem(declared, env) === undefined)
  );
}

const usableRecognition = (definition: CompiledAgent, env: Environment): CompiledRecognition[] =>
  recognitionOf(definition).filter((declared) => recognitionProblem(declared, definition, env) === undefined);

const usableSynthesis = (definition: CompiledAgent, env: Environment): CompiledSynthesis[] =>
  synthesisOf(definition).filter((declared) => synthesisProblem(declared, env) === undefined);

const recognitionOf = ({ speech }: CompiledAgent): CompiledRecognition[] =>
  speech?.recognition.length ? speech.recognition : [{ provider: 'local', keywords: [] }];

const synthesisOf = ({ speech }: CompiledAgent): CompiledSynthesis[] =>
  speech?.synthesis.length ? speech.synthesis : [{ provider: 'local', speed: 1 }];

const recognitionProblem = (
  { provider, apiKey }: CompiledRecognition,
  { script }: CompiledAgent,
  env: Environment,
): string | undefined =>
  provider === 'local' ? localRecognitionProblem(env, script !== undefined) : keyProblem(provider, apiKey, env);

const synthesisProblem = ({ provider, apiKey }: CompiledSynthesis, env: Environment): string | undefined =>
  provider === 'local' ? localSynthesisProblem(env) : keyProblem(provider, apiKey, env);

function keyProblem(
  provider: Exclude<SpeechProvider, 'local'>,
  apiKey: CompiledSynthesis['apiKey'],
  env: Environment,
): string | undefined {
  const name = keyName(provider, apiKey);
  return env[name] ? undefined : `Speech by ${provider} needs a key, but ${name} is not set in the environment.`;
}
