import { initializeLogger, type stt } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { providers as registered } from '../../services/agent/providers/registry.ts';
import {
  findAbilities,
  openLocalEngines,
  openSpeech,
  type Speech,
  SpeechFailure,
} from '../../services/agent/speech/speech.ts';
import { SpokenInOrder } from '../../services/agent/speech/synthesis.ts';
import type { CompiledAgent, CompiledSpeech } from '../../services/agent-files/definition/compiled.ts';
import { makeLogger } from '../../services/process/logger.ts';
import { spoken } from '../support/people/speech-sound.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { cartesia } from '../support/stand-ins/providers/cartesia.ts';
import { deepgram } from '../support/stand-ins/providers/deepgram.ts';
import { elevenlabs } from '../support/stand-ins/providers/elevenlabs.ts';
import { openaiAudio } from '../support/stand-ins/providers/openai-audio.ts';
import { type SpeechServer, startSpeechServer, testKey } from '../support/stand-ins/providers/speech-server.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';

initializeLogger({ pretty: false, level: 'silent' });
const logger = makeLogger({ service: 'test', level: 'silent' });
const key = { env: 'KEY_OF_THE_TESTS' };
const env = { ...onThisMachine, KEY_OF_THE_TESTS: testKey, WRONG_KEY: 'not-the-key' };
const engines = openLocalEngines({ env, logger });
const abilities = await findAbilities(env, engines);

const providers = {
  deepgram: { protocol: deepgram, path: '' },
  cartesia: { protocol: cartesia, path: '' },
  elevenlabs: { protocol: elevenlabs, path: '/v1' },
  openai: { protocol: openaiAudio, path: '/v1' },
} as const;
type Cloud = keyof typeof providers;

interface Declared {
  provider: Cloud;
  server: SpeechServer;
  apiKey?: { env: string };
}

const declared = ({ provider, server, apiKey = key }: Declared) => ({
  provider,
  baseUrl: `${server.url}${providers[provider].path}`,
  apiKey,
});

function agentWith(voices: readonly Declared[], listeners = voices): CompiledAgent {
  const speech: CompiledSpeech = {
    recognition: listeners.map((one) => ({ ...declared(one), keywords: ['Linde'] })),
    synthesis: voices.map((one) => ({ ...declared(one), speed: 1 })),
    interruption: { enabled: true, minDurationMs: 200, minWords: 0 },
    endpointing: { minSilenceMs: 400, maxDelayMs: 3_000 },
  };
  return compiledAgent({ definition: { speech } });
}

const open = (definition: CompiledAgent): Promise<Speech> =>
  openSpeech(definition, { language: 'de-DE', voice: undefined }, { env, logger, engines, abilities });

/** Seconds of sound, or the failure. */
async function say(speech: Speech, ...pieces: string[]): Promise<number | SpeechFailure> {
  let failure: SpeechFailure | undefined;
  speech.tts.on('error', ({ error }) => {
    failure = error as SpeechFailure;
  });
  const stream = speech.tts.stream();
  for (const piece of pieces) stream.pushText(piece);
  stream.endInput();
  let seconds = 0;
  for await (const audio of stream) {
    if (typeof audio === 'symbol') continue;
    seconds += audio.frame.samplesPerChannel / audio.frame.sampleRate;
  }
  return failure ?? seconds;
}

const tone = (ms: number, loudness: number) => {
  const samples = Int16Array.from({ length: ms * 16 }, (_, at) => loudness * Math.sin(at / 5));
  return new AudioFrame(samples, 16_000, 1, samples.length);
};

const silence = () => tone(100, 0);

/** Speech for those who look for it: voice detection is not fooled by a tone. */
const utterance = spoken('Guten Tag im Gasthaus', { voice: 'de' }).then((samples) => [
  silence(),
  new AudioFrame(samples, 16_000, 1, samples.length),
  ...Array.from({ length: 12 }, silence),
]);

/** What recognition makes of it, as the conversation asks for it; or the failure. */
async function hear(speech: Speech): Promise<string | SpeechFailure> {
  if (!speech.stt.capabilities.streaming) {
    return speech.stt.recognize(await utterance).then(textOf, (error: SpeechFailure) => error);
  }
  let failure: SpeechFailure | undefined;
  speech.stt.on('error', ({ error }) => {
    failure = error as SpeechFailure;
  });
  const stream = speech.stt.stream();
  for (const frame of await utterance) stream.pushFrame(frame);
  stream.flush();
  for await (const event of stream) {
    if (event.type !== 2) continue;
    stream.close();
    return textOf(event);
  }
  return failure ?? '';
}

const textOf = ({ alternatives }: stt.SpeechEvent): string => alternatives?.[0].text ?? '';

const names = Object.keys(providers) as Cloud[];

test('every plugin of speech is exercised here', () => {
  const plugins = registered.flatMap(({ name, speech }) => (speech?.names ? [name] : []));
  expect(plugins.toSorted()).toEqual(names.toSorted());
});

describe.each(names)('%s', (provider) => {
  let server: SpeechServer;
  let speech: Speech;

  beforeEach(async () => {
    server = await startSpeechServer(providers[provider].protocol);
    speech = await open(agentWith([{ provider, server }]));
  });

  afterEach(async () => {
    await speech.close();
    await server[Symbol.asyncDispose]();
  });

  test('says each sentence and recognises', async () => {
    server.hears = 'guten tag';
    expect(await say(speech, 'Guten Tag im Gasthaus. ', 'Was kann ich für Sie tun?')).toBeGreaterThan(0.9);
    expect(once(server.said)).toEqual(['Guten Tag im Gasthaus.', 'Was kann ich für Sie tun?']);
    expect(await hear(speech)).toBe('guten tag');
  });

  test('a refused key ends in a failure that names the provider', async () => {
    const refused = await open(agentWith([{ provider, server, apiKey: { env: 'WRONG_KEY' } }]));
    const spoken = await say(refused, 'Guten Tag im Gasthaus.');
    expect(spoken).toBeInstanceOf(SpeechFailure);
    expect(spoken).toMatchObject({ part: 'synthesis', provider });
    const heard = await hear(refused);
    expect(heard).toBeInstanceOf(SpeechFailure);
    expect(heard).toMatchObject({ part: 'recognition', provider });
    await refused.close();
  });

  test('used-up quota and a lost connection end in a failure, and afterwards it works again', async () => {
    for (const fault of [429, 'drop'] as const) {
      server.fault = fault;
      expect(await say(speech, 'Guten Tag im Gasthaus.')).toMatchObject({ part: 'synthesis', provider });
      expect(await hear(speech)).toMatchObject({ part: 'recognition', provider });
    }
    server.fault = undefined;
    expect(await say(speech, 'Guten Tag im Gasthaus.')).toBeGreaterThan(0.3);
    expect(await hear(speech)).toBe(server.hears);
  });

  test('what fails here is said and recognised by the next provider', async () => {
    await using second = await startSpeechServer(openaiAudio);
    second.hears = 'from the second one';
    const pair = [
      { provider, server },
      { provider: 'openai', server: second },
    ] as const;
    const both = await open(agentWith(pair));
    for (const fault of [401, 'drop'] as const) {
      server.fault = fault;
      second.said = [];
      expect(await say(both, 'Guten Tag im Gasthaus. Was kann ich für Sie tun?')).toBeGreaterThan(0.9);
      expect(second.said.length).toBeGreaterThan(0);
    }
    expect(await hear(both)).toBe(second.hears);
    await both.close();
  });
});

/** A busy machine has a sentence asked for again beside the first request, after half a second without a sound. */
const once = (said: readonly string[]) => said.filter((sentence, at) => sentence !== said[at - 1]);

test('what is written for the eye is not read out', async () => {
  await using server = await startSpeechServer(deepgram);
  const speech = await open(agentWith([{ provider: 'deepgram', server }]));
  expect(await say(speech, 'Our **menu** 🍝 is at ', 'https://example.com/menu?x=1. 👍 ', 'Enjoy!')).toBeGreaterThan(
    0.3,
  );
  expect(once(server.said).join(' ')).toBe('Our menu is at example.com. Enjoy!');
  await speech.close();
});

const makers = {
  deepgram: () => import('../../services/agent/providers/deepgram/speech.ts'),
  cartesia: () => import('../../services/agent/providers/cartesia/speech.ts'),
  elevenlabs: () => import('../../services/agent/providers/elevenlabs/speech.ts'),
  openai: () => import('../../services/agent/providers/openai/speech.ts'),
};

test.each(names)('%s that stops in the middle of a sentence is noticed', async (provider) => {
  await using server = await startSpeechServer(providers[provider].protocol);
  server.fault = 'stall';
  const { voice: make } = await makers[provider]();
  const { baseUrl } = declared({ provider, server });
  const settings = { provider, apiKey: testKey, baseUrl, model: undefined, voice: undefined, language: 'de', speed: 1 };
  const voice = make(settings);
  const tts = new SpokenInOrder({ voices: [voice], language: 'de', onMended: () => undefined, stallMs: 200 });
  const speech = { tts } as unknown as Speech;
  expect(await say(speech, 'Guten Tag im Gasthaus.')).toMatchObject({ kind: 'stalled', provider });
  expect(server.said).toHaveLength(2);
  await tts.close();
});

test('the kinds of failure are told apart where the plugin lets them be', async () => {
  await using server = await startSpeechServer(deepgram);
  const speech = await open(agentWith([{ provider: 'deepgram', server }]));
  server.fault = 401;
  expect(await say(speech, 'Guten Tag im Gasthaus.')).toMatchObject({ kind: 'unauthorized' });
  server.fault = 429;
  expect(await say(speech, 'Guten Tag im Gasthaus.')).toMatchObject({ kind: 'quota' });
  server.fault = 'drop';
  expect(await say(speech, 'Guten Tag im Gasthaus.')).toMatchObject({ kind: 'dropped' });
  await speech.close();
});
