import { expect, test } from 'vitest';
import { FloodGuard } from './floods.ts';

function guard() {
  const removed: string[] = [];
  let now = 0;
  const it = new FloodGuard(
    ({ identity, what, again }) => removed.push(`${identity} ${what}${again ? ' again' : ''}`),
    () => now,
  );
  const send = (identity: string, count: number) => {
    for (let i = 0; i < count; i += 1) it.admit(identity, 'streams');
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { it, removed, send, pass };
}

test('who sends as much as the most generous agent allows stays', () => {
  const { removed, send, pass } = guard();
  for (let minute = 0; minute < 3; minute += 1) {
    send('person', 1_200);
    pass(60_000);
  }
  expect(removed).toEqual([]);
});

test('who sends more is sent out, and nobody else is', () => {
  const { removed, send } = guard();
  send('quiet', 1_200);
  send('loud', 1_300);
  expect(removed).toEqual(['loud streams']);
});

test('who comes back and goes on is sent out again, until the minute is over', () => {
  const { removed, send, pass } = guard();
  send('loud', 1_201);
  pass(1_000);
  send('loud', 1);
  expect(removed).toEqual(['loud streams', 'loud streams again']);
  pass(60_000);
  send('loud', 1);
  expect(removed).toHaveLength(2);
});
