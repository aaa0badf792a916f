import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { joined } from './joined.ts';

test('frames follow one another in a buffer of their own', () => {
  const frame = (...samples: number[]) => new AudioFrame(Int16Array.from(samples), 16_000, 1, samples.length);
  const whole = joined([frame(1, 2), frame(3), frame(4, 5, 6)]);
  expect([...whole.data]).toEqual([1, 2, 3, 4, 5, 6]);
  expect([whole.sampleRate, whole.channels, whole.samplesPerChannel]).toEqual([16_000, 1, 6]);
  expect(whole.data.buffer.byteLength).toBe(12);
});
