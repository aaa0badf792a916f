import { initializeLogger } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { KeptLines } from './kept-lines.ts';
import { SpokenInOrder } from './synthesis.ts';
import type { Voice } from './voice.ts';

initializeLogger({ pretty: false, level: 'silent' });

// No clock but the test's: a busy machine makes no voice slow.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const rate = 24_000;
const askedAgainAfterMs = 20;
const sound = () => new AudioFrame(new Int16Array(240), rate, 1, 240);

/** Resolves after so long, with true as soon as nobody waits. */
const soon = (ms: number, signal: AbortSignal) =>
  new Promise<boolean>((resolve) => {
    setTimeout(() => resolve(false), ms);
    signal.addEventListener('abort', () => resolve(true), { once: true });
  });

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
      const isStopped = await soon(ms === 'never' ? 60_000 : ms, signal);
      if (isStopped) stopped.push(sentence);
      else yield sound();
    },
  };
  return { voice, asked, stopped };
}

async function say(speech: SpokenInOrder, sentence: string): Promise<number> {
  let frames = 0;
  const said = (async () => {
    for await (const _frame of speech.speak(sentence, new AbortController().signal)) frames += 1;
  })();
  await passing(said);
  return frames;
}

/** Lets time pass until it has come. */
async function passing(work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await vi.advanceTimersByTimeAsync(1);
  await over;
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

test('a line that was prepared is heard at once, whatever the voice is about then, in each conversation', async () => {
  const { voice, asked } = voiceThatTakes('one', 0, 'never');
  const lines = new KeptLines().of('one');
  const speech = () => new SpokenInOrder({ ...{ voices: [voice], language: 'en', lines }, onMended: () => undefined });
  await passing(speech().prepare('One moment please.'));
  await passing(speech().prepare('One moment please.'));
  expect(await say(speech(), 'One moment please. ')).toBe(1);
  expect(asked).toEqual(['One moment please.']);
});

test('nothing is prepared by an engine of this machine', async () => {
  const { voice, asked } = voiceThatTakes('one');
  const lines = new KeptLines().of('one');
  const speech = new SpokenInOrder({
    ...{ voices: [{ ...voice, isAway: false }], language: 'en', lines },
    onMended: () => undefined,
  });
  await speech.prepare('One moment please.');
  expect(asked).toEqual([]);
});

test('another voice takes the place of one from which nothing comes', async () => {
  const one = voiceThatTakes('one', 'never', 'never', 'never', 'never');
  const two = voiceThatTakes('two');
  const speech = new SpokenInOrder({
    ...{ voices: [one.voice, two.voice], language: 'en', askedAgainAfterMs, stallMs: 100 },
    onMended: () => undefined,
  });
  expect(await say(speech, 'Good day.')).toBe(1);
  expect(two.asked).toEqual(['Good day.']);
});
