import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { judgeEnd, loadEndOfTurn } from './end-of-turn.ts';

const rate = 16_000;
const sound = (ms: number) => {
  const samples = Int16Array.from({ length: (rate * ms) / 1000 }, (_, at) => 8_000 * Math.sin(at / 12));
  return new AudioFrame(samples, rate, 1, samples.length);
};

test('until the model is loaded everybody has finished, after that only those whom it cannot judge', async () => {
  expect(await judgeEnd(sound(1_000))).toBe(1);
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 5);
  await loadEndOfTurn();
  clearInterval(others);
  expect(turns, 'what went on meanwhile').toBeGreaterThan(3);
  const judged = await judgeEnd(sound(1_200));
  expect(judged).toBeGreaterThan(0);
  expect(judged).toBeLessThan(1);
  expect(await judgeEnd(sound(1_201))).toBe(1);
});
