import { setTimeout as delay } from 'node:timers/promises';
import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { SpokenInOrder } from './synthesis.ts';
import type { Voice } from './voice.ts';

initializeLogger({ pretty: false, level: 'silent' });

const rate = 24_000;
const firstSoundMs = 20;
const sound = () => new AudioFrame(new Int16Array(240), rate, 1, 240);

/** A voice whose n-th sentence takes so long to its first sound; `never`: until nobody waits. */
function voiceThatTakes(provider: string, ...times: (number | 'never')[]) {
  const asked: string[] = [];
  const voice: Voice = {
    ...{ provider, model: 'a-model', sampleRate: rate, close: async () => undefined },
    async *speak(sentence, signal) {
      const ms = times[asked.length] ?? 0;
      asked.push(sentence);
      await delay(ms === 'never' ? 60_000 : ms, undefined, { signal });
      yield sound();
    },
  };
  return { voice, asked };
}

async function say(speech: SpokenInOrder, sentence: string): Promise<number> {
  let frames = 0;
  for await (const _frame of speech.speak(sentence, new AbortController().signal)) frames += 1;
  return frames;
}

test('a voice from which no first sound comes is asked again while somebody could still hear it in time', async () => {
  const { voice, asked } = voiceThatTakes('one', 'never');
  const mended: string[] = [];
  const speech = new SpokenInOrder({
    ...{ voices: [voice], language: 'en', firstSoundMs },
    onMended: ({ kind }) => mended.push(kind),
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect(asked).toEqual(['Good day.', 'Good day.']);
  expect(mended).toEqual(['stalled']);
});

test('and another voice in its place, where there is one', async () => {
  const one = voiceThatTakes('one', 'never');
  const two = voiceThatTakes('two');
  const speech = new SpokenInOrder({
    ...{ voices: [one.voice, two.voice], language: 'en', firstSoundMs },
    onMended: () => undefined,
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect([one.asked, two.asked]).toEqual([['Good day.'], ['Good day.']]);
});

test('a voice that is slow is asked twice once, and given time from then on', async () => {
  const slowMs = 4 * firstSoundMs;
  const { voice, asked } = voiceThatTakes('slow', slowMs, slowMs, slowMs);
  const speech = new SpokenInOrder({
    ...{ voices: [voice], language: 'en', firstSoundMs },
    onMended: () => undefined,
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect(await say(speech, 'How are you?')).toBe(1);
  expect(asked).toEqual(['Good day.', 'Good day.', 'How are you?']);
});
