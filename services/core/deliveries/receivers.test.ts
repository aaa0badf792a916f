import { expect, test } from 'vitest';
import { makeReceivers, type Turn } from './receivers.ts';

const url = 'https://a.example/hook';

function setUp() {
  let now = 0;
  const receivers = makeReceivers(
    () => now,
    () => 0.5,
  );
  const enter = (address = url) => receivers.enter(address);
  return {
    enter,
    take: (address = url): Turn => {
      const turn = enter(address);
      if ('waitMs' in turn) throw new Error(`no turn for ${turn.waitMs} ms`);
      return turn;
    },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('five at once go to one receiver; the sixth comes back shortly, and other receivers are not concerned', () => {
  const { enter, take } = setUp();
  const turns = Array.from({ length: 5 }, () => take());
  expect(enter('https://a.example/another/path')).toEqual({ waitMs: expect.any(Number) });
  expect(enter('https://b.example/hook')).not.toHaveProperty('waitMs');
  expect(enter('https://a.example:8443/hook')).not.toHaveProperty('waitMs');
  turns[0]?.done(true);
  expect(enter()).not.toHaveProperty('waitMs');
});

test('after five failures in a row nothing is sent for half a minute, then one delivery tries', () => {
  const { enter, take, pass } = setUp();
  for (let i = 0; i < 5; i += 1) take().done(false);
  expect(enter()).toEqual({ waitMs: expect.any(Number) });
  pass(30_001);
  const probe = take();
  expect(enter()).toEqual({ waitMs: expect.any(Number) });
  probe.done(false);
  expect(enter()).toEqual({ waitMs: expect.any(Number) });
  pass(30_001);
  take().done(true);
  const turns = Array.from({ length: 5 }, () => take());
  expect(turns).toHaveLength(5);
});

test('a receiver that answers, even with errors, is never shut out', () => {
  const { take } = setUp();
  for (let i = 0; i < 50; i += 1) take().done(true);
  take().done(false);
  take().done(true);
  for (let i = 0; i < 4; i += 1) take().done(false);
  expect(() => take()).not.toThrow();
});
