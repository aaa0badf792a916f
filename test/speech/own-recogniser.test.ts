import { join } from 'node:path';
import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterEach, expect, test } from 'vitest';
import {
  findAbilities,
  type LocalEngines,
  openLocalEngines,
  openSpeech,
  SpeechFailure,
} from '../../services/agent/speech/speech.ts';
import { makeLogger } from '../../services/process/logger.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';

initializeLogger({ pretty: false, level: 'silent' });
const logger = makeLogger({ service: 'test', level: 'silent' });
const program = join(import.meta.dirname, '..', 'support', 'stand-ins', 'own_recogniser.py');
const definition = compiledAgent({
  definition: {
    speech: {
      recognition: [{ provider: 'local', keywords: ['Linde'] }],
      synthesis: [{ provider: 'local', speed: 1 }],
      interruption: { enabled: true, minDurationMs: 200, minWords: 0 },
      endpointing: { minSilenceMs: 400, maxDelayMs: 3_000 },
    },
  },
});

let engines: LocalEngines | undefined;
afterEach(() => engines?.close());

async function open(command: string) {
  const env = { ...process.env, PARLEY_SPEECH_RECOGNIZER: command };
  engines = openLocalEngines({ env, logger });
  const abilities = await findAbilities(env, engines);
  return openSpeech(definition, { language: 'de-DE', voice: undefined }, { env, logger, engines, abilities });
}

const seconds = (length: number) => new AudioFrame(new Int16Array(16_000 * length), 16_000, 1, 16_000 * length);

test('free dictation by a program of one’s own, for an agent without a script', async () => {
  const { stt } = await open(`python3 ${program}`);
  const { alternatives } = await stt.recognize(seconds(2));
  expect(alternatives?.[0]).toMatchObject({ text: 'de-DE 2.0 Linde', confidence: 0.9 });
});

test('many conversations share one process, and each gets its own answer', async () => {
  const { stt } = await open(`python3 ${program}`);
  const answers = await Promise.all([1, 2, 3, 4].map((length) => stt.recognize(seconds(length))));
  expect(answers.map(({ alternatives }) => alternatives?.[0].text)).toEqual(
    [1, 2, 3, 4].map((length) => `de-DE ${length}.0 Linde`),
  );
});

test('an error that the program answers is a failure with its words', async () => {
  const { stt } = await open(`python3 ${program}`);
  await expect(stt.recognize(seconds(6))).rejects.toThrow('Recognition failed: too long');
});

test('a program that ends at once is a failure, and says why', async () => {
  const { stt } = await open('false');
  const failure = await stt.recognize(seconds(1)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SpeechFailure);
});

test('without any recogniser that can be run there is no speech, and the reason says what is missing', async () => {
  await expect(open('/nowhere/recogniser')).rejects.toThrow(
    'It needs a recogniser of your own (PARLEY_SPEECH_RECOGNIZER), or a model that was fetched for "de" (PARLEY_SPEECH_MODELS).',
  );
});
