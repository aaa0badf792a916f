import { expect, test } from 'vitest';
import { timingOf } from './turn-timing.ts';

test('a spoken turn tells where its time went', () => {
  const times = { firstWordAt: 1_120.4, firstSoundAt: 1_300, soundEndedAt: 4_300 };
  const hearing = { endpointing: 400, recognition: 30 };
  expect(timingOf(1_000, { hearing }, { times, cut: false }, 80.2)).toEqual({
    endpointing: 400,
    recognition: 30,
    firstToken: 120,
    firstSound: 300,
    playout: 3_000,
    tools: 80,
  });
});

test('one that was cut tells when; one that is written has no sound', () => {
  const times = { firstWordAt: 1_100, firstSoundAt: 1_300, soundEndedAt: 2_000 };
  expect(timingOf(1_000, {}, { times, cut: true }, 0)).toMatchObject({ interruptedAfter: 1_000, playout: 700 });
  expect(timingOf(1_000, {}, { times: { firstWordAt: 1_007 }, cut: false }, 0)).toEqual({ firstToken: 7 });
});
