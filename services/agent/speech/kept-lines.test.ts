import { AudioFrame } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { KeptLines } from './kept-lines.ts';

const rate = 8_000;
const soundOf = (seconds: number) => [new AudioFrame(new Int16Array(rate * seconds), rate, 1, rate * seconds)];

test('a line is kept for the voice that said it', () => {
  const lines = new KeptLines();
  lines.of('one').keep('One moment.', soundOf(1));
  expect(lines.of('one').soundOf('One moment.')).toHaveLength(1);
  expect(lines.of('two').soundOf('One moment.')).toBeUndefined();
});

test('forty are kept, none of them longer than ten seconds', () => {
  const lines = new KeptLines().of('one');
  for (let number = 1; number <= 41; number += 1) lines.keep(`Line ${number}.`, soundOf(1));
  lines.keep('A long one.', soundOf(11));
  const kept = (line: string) => lines.soundOf(line) !== undefined;
  expect(['Line 1.', 'Line 2.', 'Line 41.', 'A long one.'].map(kept)).toEqual([false, true, true, false]);
});
