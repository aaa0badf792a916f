import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchSpeech, modelsFile } from '../../scripts/toolchain/speech-models.ts';
import { findAbilities, openLocalEngines, openSpeech, type Speech } from '../../services/agent/speech/speech.ts';
import { speechModelNamed } from '../../services/agent-files/definition/speech-models.ts';
import { makeLogger } from '../../services/process/logger.ts';
import { joined, microphoneRate, noise, resampled, silence } from '../support/people/speech-sound.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';

initializeLogger({ pretty: false, level: 'silent' });
const logger = makeLogger({ service: 'test', level: 'silent' });

const mostTimes = 3;

let engines: ReturnType<typeof openLocalEngines>;
let speech: Speech;

beforeAll(async () => {
  const models = ['whisper-base', 'en_US-joe-medium'].flatMap((name) => speechModelNamed(name) ?? []);
  expect(await fetchSpeech(models, { progress: () => undefined })).toEqual([]);
  const env = { ...process.env, PARLEY_SPEECH_MODELS: modelsFile() };
  engines = openLocalEngines({ env, logger });
  const abilities = await findAbilities(env, engines);
  const agent = compiledAgent();
  const definition = { ...agent, languages: agent.languages.map((language) => ({ ...language, voices: [] })) };
  speech = await openSpeech(definition, { language: 'en', voice: undefined }, { env, logger, engines, abilities });
}, 600_000);

afterAll(async () => {
  await speech?.close();
  await engines?.close();
});

async function said(text: string): Promise<Int16Array> {
  const stream = speech.tts.stream();
  stream.pushText(text);
  stream.endInput();
  const frames: Int16Array[] = [];
  for await (const audio of stream) if (typeof audio !== 'symbol') frames.push(audio.frame.data);
  return resampled(joined(...frames), speech.tts.sampleRate, microphoneRate);
}

async function heard(sound: Int16Array): Promise<string> {
  const samples = joined(noise(400, 30), sound, noise(300, 30));
  const { alternatives } = await speech.stt.recognize(new AudioFrame(samples, microphoneRate, 1, samples.length));
  return alternatives?.[0].text ?? '';
}

test('a sentence that is listed nowhere is said by a natural voice, and understood', async () => {
  expect(speech.tts.model).toBe('en_US-joe-medium');
  expect(speech.stt.model).toBe('whisper-base');
  // A natural voice says nothing twice in the same way, and a small word may be lost; on a busy machine espeak-ng stands in for a sentence.
  const right = /red bicycle .*garden .*to my older sister/;
  let understood = '';
  for (let time = 0; time < mostTimes && !right.test(understood); time += 1)
    understood = await heard(await said('The red bicycle in the garden belongs to my older sister.'));
  expect(understood).toMatch(right);
});

test('silence, a hiss and a hum are no words', async () => {
  const hum = Int16Array.from({ length: 2 * microphoneRate }, (_, at) => 6_000 * Math.sin(at / 20));
  expect(await Promise.all([silence(2_000), noise(2_000, 3_000), hum].map(heard))).toEqual(['', '', '']);
});
