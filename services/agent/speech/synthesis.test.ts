import { setTimeout as delay } from 'node:timers/promises';
import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { SpokenInOrder } from './synthesis.ts';
import type { Voice } from './voice.ts';

initializeLogger({ pretty: false, level: 'silent' });

const rate = 24_000;
const askedAgainAfterMs = 20;
const sound = () => new AudioFrame(new Int16Array(240), rate, 1, 240);

/** A voice that takes so long to its first sound when it is asked for the n-th time; `never`: until nobody waits. */
function voiceThatTakes(provider: string, ...times: (number | 'never' | 'breaks')[]) {
  const asked: string[] = [];
  const stopped: string[] = [];
  const voice: Voice = {
    ...{ provider, model: 'a-model', sampleRate: rate, isAway: true, close: async () => undefined },
    async *speak(sentence, signal) {
      const ms = times[asked.length] ?? 0;
      asked.push(sentence);
      if (ms === 'breaks') throw new Error('the connection was closed');
      await delay(ms === 'never' ? 60_000 : ms, undefined, { signal }).catch((error: unknown) => {
        stopped.push(sentence);
        throw error;
      });
      yield sound();
    },
  };
  return { voice, asked, stopped };
}

async function say(speech: SpokenInOrder, sentence: string): Promise<number> {
  let frames = 0;
  for await (const _frame of speech.speak(sentence, new AbortController().signal)) frames += 1;
  return frames;
}

test('a voice from which no first sound comes is asked again beside, while somebody could still hear it in time', async () => {
  const { voice, asked } = voiceThatTakes('one', 'never', 'never');
  const speech = new SpokenInOrder({
    ...{ voices: [voice], language: 'en', askedAgainAfterMs },
    onMended: () => undefined,
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect(asked).toEqual(['Good day.', 'Good day.', 'Good day.']);
});

test('a voice that is slow loses nothing, and is asked once from then on', async () => {
  const slowMs = 1.5 * askedAgainAfterMs;
  const { voice, asked, stopped } = voiceThatTakes('slow', slowMs, 'never', slowMs);
  const speech = new SpokenInOrder({
    ...{ voices: [voice], language: 'en', askedAgainAfterMs },
    onMended: () => undefined,
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect(await say(speech, 'How are you?')).toBe(1);
  expect(asked).toEqual(['Good day.', 'Good day.', 'How are you?']);
  expect(stopped).toEqual(['Good day.']);
});

test('one that hung is not taken for slow: the next sentence is asked for again as soon', async () => {
  const { voice, asked } = voiceThatTakes('one', 'never', 0, 1.4 * askedAgainAfterMs, 'never');
  const speech = new SpokenInOrder({
    ...{ voices: [voice], language: 'en', askedAgainAfterMs },
    onMended: () => undefined,
  });
  await say(speech, 'Good day.');
  await say(speech, 'How are you?');
  expect(asked).toEqual(['Good day.', 'Good day.', 'How are you?', 'How are you?']);
});

test('one that breaks while another try hangs is no failure before that one is, too', async () => {
  const { voice, asked } = voiceThatTakes('one', 'breaks', 0);
  const mended: string[] = [];
  const speech = new SpokenInOrder({
    ...{ voices: [voice], language: 'en', askedAgainAfterMs },
    onMended: ({ kind }) => mended.push(kind),
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect([asked, mended]).toEqual([['Good day.', 'Good day.'], ['dropped']]);
});

test('another voice takes the place of one from which nothing comes', async () => {
  const one = voiceThatTakes('one', 'never', 'never', 'never');
  const two = voiceThatTakes('two');
  const speech = new SpokenInOrder({
    ...{ voices: [one.voice, two.voice], language: 'en', askedAgainAfterMs, stallMs: 100 },
    onMended: () => undefined,
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect(two.asked).toEqual(['Good day.']);
});
