import { type VAD, VADEventType } from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import type { Recognition } from './recognition.ts';
import { TurnDetector } from './turn-detector.ts';
import { isUnfinished } from './unfinished.ts';

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

/** How much silence ends a turn in which this is understood. */
async function silenceAfter(text: string): Promise<number> {
  const detection = scriptedDetection();
  const recognition: Recognition = {
    hear: () => undefined,
    close: () => undefined,
    begin: () => ({
      words: async () => text,
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
    judgeEnd: async () => 1,
    isUnfinished: (words) => isUnfinished(words, 'en'),
    unfinishedMs: 3_000,
    settings: { sustainedMs: 200, pauseMs: 200, hurriedPauseMs: 110, endMs: 400 },
    listener: {
      ...{ onSustained: nothing, onWords: nothing, onPause: nothing, onResumed: nothing, onHeard: nothing },
      onEnded: ({ silentForMs }) => ended.resolve(silentForMs),
    },
  });
  await detection.hears(1, 1_000);
  await detection.hears(0, 4_000);
  detector.close();
  return ended.promise;
}

test('a turn whose words go on is waited for, and one whose words are finished is not', async () => {
  expect(await silenceAfter('A table for four, please.')).toBeLessThan(500);
  expect(await silenceAfter('Did you say tomorrow or?')).toBeLessThan(500);
  const open = await silenceAfter('A table for four, and');
  expect(open).toBeGreaterThanOrEqual(3_000);
  expect(open).toBeLessThan(3_100);
});
