import { expect, test } from 'vitest';
import { sleep } from './sleep.ts';
import { within } from './within.ts';

const tooLate = () => new Error('too late');

test('what comes in time is given, also when it fails', async () => {
  expect(await within(60_000, tooLate, Promise.resolve(1))).toBe(1);
  await expect(within(60_000, tooLate, Promise.reject(new Error('its own')))).rejects.toThrow('its own');
});

test('what does not come in time is an error', async () => {
  await expect(within(1, tooLate, new Promise(() => undefined))).rejects.toThrow('too late');
});

test('a pause is over when its signal fires, also when that was before', async () => {
  const over = new AbortController();
  const pauses = [sleep(600_000, over.signal)];
  over.abort();
  pauses.push(sleep(600_000, over.signal));
  await Promise.all(pauses);
});
