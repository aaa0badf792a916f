import { expect, test } from 'vitest';
import { makeReceivers, type Permit } from './receivers.ts';

const url = 'https://a.example/hook';

function setUp() {
  let now = 0;
  const receivers = makeReceivers(
    () => now,
    () => 0.5,
  );
  const enter = (address = url, who?: string) => receivers.enter(address, who);
  return {
    enter,
    take: (address = url): Permit => {
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

test('slow answers are failures too: the receiver rests as long as it took, then one delivery tries, and a quick answer ends it', () => {
  const { enter, take, pass } = setUp();
  for (let i = 0; i < 5; i += 1) take().done(true, 14_000);
  expect(enter()).toEqual({ waitMs: expect.any(Number) });
  pass(13_999);
  expect(enter()).toEqual({ waitMs: expect.any(Number) });
  pass(2);
  const probe = take();
  expect(enter()).toEqual({ waitMs: expect.any(Number) });
  probe.done(true, 200);
  expect(Array.from({ length: 5 }, () => take())).toHaveLength(5);
});

test('receivers in trouble have ten places together, however many they are; who answers is not concerned', () => {
  const { enter, take } = setUp();
  const dead = ['c', 'd', 'e', 'f'].map((name) => `https://${name}.example/hook`);
  for (const address of dead) take(address).done(false);
  for (const address of dead.slice(0, 2)) for (let i = 0; i < 5; i += 1) take(address);
  expect(enter(dead[2])).toEqual({ waitMs: expect.any(Number) });
  expect(Array.from({ length: 5 }, () => take())).toHaveLength(5);
});

test('agents of one address share it: who holds its share leaves the next place to those who wait', () => {
  const { enter, pass } = setUp();
  const turn = (who: string) => enter(url, who) as Permit;
  const first = Array.from({ length: 5 }, () => turn('a'));
  expect(enter(url, 'b')).toEqual({ waitMs: expect.any(Number) });
  first[0]?.done(true);
  expect(enter(url, 'a')).toEqual({ waitMs: expect.any(Number) });
  expect(enter(url, 'b')).toHaveProperty('done');
  first[1]?.done(true);
  expect(enter(url, 'a')).toHaveProperty('done');
  expect(enter(url, 'c')).toEqual({ waitMs: expect.any(Number) });
  first[2]?.done(true);
  pass(60_000);
  expect(enter(url, 'a')).toHaveProperty('done');
});

test('the more are turned away, the later they come back', () => {
  const { enter, take } = setUp();
  for (let i = 0; i < 5; i += 1) take();
  const waits = Array.from({ length: 200 }, (_, index) => enter(url, `agent ${index}`)).map(
    (turn) => (turn as { waitMs: number }).waitMs,
  );
  expect(waits[0]).toBeLessThan(2_000);
  expect(waits[100]).toBeGreaterThan(10_000);
  expect(waits[199]).toBe(30_000);
});
