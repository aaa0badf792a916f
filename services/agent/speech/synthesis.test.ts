import { setTimeout as delay } from 'node:timers/promises';
import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { SpokenInOrder } from './synthesis.ts';
import type { Voice } from './voice.ts';

initializeLogger({ pretty: false, level: 'silent' });

const rate = 24_000;
const sound = () => new AudioFrame(new Int16Array(240), rate, 1, 240);

/** A voice that takes so long to its first sound when it is asked for the n-th time; `never`: until nobody waits. */
function voiceThatTakes(provider: string, ...times: (number | 'never' | 'breaks')[]) {
  const asked: string[] = [];
  const stopped: string[] = [];
  const voice: Voice = {
    ...{ provider, model: 'a-model', sampleRate: rate, close: async () => undefined },
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

test('another voice takes the place of one from which nothing comes', async () => {
  const one = voiceThatTakes('one', 'never', 'never');
  const two = voiceThatTakes('two');
  const speech = new SpokenInOrder({
    ...{ voices: [one.voice, two.voice], language: 'en', stallMs: 100 },
    onMended: () => undefined,
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect(two.asked).toEqual(['Good day.']);
});
