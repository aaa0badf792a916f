import { type VAD, VADEventType } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { endByWords } from './end-by-words.ts';
import type { Recognition } from './recognition.ts';
import { TurnDetector } from './turn-detector.ts';

const windowMs = 32;

/** Voice detection that finds what the test says, one window after the other. */
function scriptedDetection() {
  const frame = new AudioFrame(new Int16Array(512), 16_000, 1, 512);
  let next = Promise.withResolvers<number | undefined>();
  async function* events() {
    for (let probability = await next.promise; probability !== undefined; probability = await next.promise) {
      next = Promise.withResolvers();
      yield { type: VADEventType.INFERENCE_DONE, frames: [frame], probability };
    }
  }
  const stream = { [Symbol.asyncIterator]: events, pushFrame: () => undefined, close: () => next.resolve(undefined) };
  return {
    vad: { stream: () => stream } as unknown as VAD,
    /** Resolves when it was dealt with, and what was asked because of it is answered. */
    async hears(probability: number, ms: number) {
      for (let at = 0; at < ms; at += windowMs) {
        next.resolve(probability);
        await new Promise(setImmediate);
      }
    },
  };
}

interface Said {
  text: string;
  /** Silence that was heard when the words became known. */
  knownAfterMs?: number;
  /** How likely it is finished, by the sound. */
  bySound?: number;
}

/** How much silence ends a turn in which this is said. */
async function silenceAfter({ text, knownAfterMs = 224, bySound = 1 }: Said): Promise<number> {
  const detection = scriptedDetection();
  const words = Promise.withResolvers<string>();
  const recognition: Recognition = {
    hear: () => undefined,
    close: () => undefined,
    begin: () => ({
      words: () => words.promise,
      grows: () => undefined,
      peek: () => undefined,
      settled: async () => undefined,
      end: () => text,
    }),
  };
  const ended = Promise.withResolvers<number>();
  const nothing = () => undefined;
  const detector = new TurnDetector({
    vad: detection.vad,
    openRecognition: () => recognition,
    judgeEnd: async () => bySound,
    judgeWords: (said) => endByWords(said, 'en'),
    unfinishedMs: 3_000,
    settings: { sustainedMs: 200, pauseMs: 200, hurriedPauseMs: 110, endMs: 400 },
    listener: {
      ...{ onSustained: nothing, onWords: nothing, onPause: nothing, onResumed: nothing, onHeard: nothing },
      onEnded: ({ silentForMs }) => ended.resolve(silentForMs),
    },
  });
  await detection.hears(1, 1_000);
  await detection.hears(0, knownAfterMs);
  words.resolve(text);
  await detection.hears(0, 4_000);
  detector.close();
  return ended.promise;
}

test('a turn whose words go on is waited for, and one whose words are finished is not', async () => {
  expect(await silenceAfter({ text: 'A table for four, please.' })).toBeLessThan(500);
  const open = await silenceAfter({ text: 'A table for four, and' });
  expect(open).toBeGreaterThanOrEqual(3_000);
  expect(open).toBeLessThan(3_100);
});

test('words that come after the usual silence are waited for, and end the turn at once or hold it', async () => {
  expect(await silenceAfter({ text: 'A table for four, please.', knownAfterMs: 704 })).toBeLessThan(850);
  expect(await silenceAfter({ text: 'A table for four, and', knownAfterMs: 704 })).toBeGreaterThanOrEqual(3_000);
});

test('a question is over, though its melody says that it goes on', async () => {
  expect(await silenceAfter({ text: 'When?', bySound: 0.1 })).toBeLessThan(500);
  expect(await silenceAfter({ text: 'Well', bySound: 0.1 })).toBeGreaterThanOrEqual(3_000);
});

test('without words in time the usual end comes', async () => {
  const late = await silenceAfter({ text: 'A table for four, and', knownAfterMs: 1_504 });
  expect(late).toBeGreaterThanOrEqual(1_000);
  expect(late).toBeLessThan(1_100);
});
