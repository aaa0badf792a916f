import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

const never = new AbortController().signal;

test('those who wait get their slot in the order in which they came', async () => {
  const slots = new Slots(1, 5);
  const release = await slots.take(never);
  const order: string[] = [];
  const others = ['first', 'second'].map(async (name) => {
    const done = await slots.take(never);
    order.push(name);
    done?.();
  });
  release?.();
  await Promise.all(others);
  expect(order).toEqual(['first', 'second']);
});

test('releasing twice frees one slot only', async () => {
  const slots = new Slots(1, 0);
  const release = await slots.take(never);
  release?.();
  release?.();
  await slots.take(never);
  await expect(slots.take(never)).rejects.toThrow('wait already');
});

test('who gives up waiting gets nothing and leaves the line', async () => {
  const slots = new Slots(1, 1);
  const release = await slots.take(never);
  const givesUp = new AbortController();
  const waiting = slots.take(givesUp.signal);
  givesUp.abort();
  expect(await waiting).toBeUndefined();
  release?.();
  expect(await slots.take(never)).toBeDefined();
});
