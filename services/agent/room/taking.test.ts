import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TooLate } from '../../process/within.ts';
import { Taking } from './taking.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate'] }));
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => {});

test('the first words of a connection may take as long as the native layer gives them', async () => {
  const opened = Promise.withResolvers<string>();
  const taken = new Taking().inTime(opened.promise);
  await vi.advanceTimersByTimeAsync(15_000);
  opened.resolve('taken');
  await expect(taken).resolves.toBe('taken');
});

test('words that were under way when the connection was made anew count as lost soon', async () => {
  const taking = new Taking();
  const refused = expect(taking.inTime(never)).rejects.toThrow(new TooLate('the room', 2_500));
  taking.disturb();
  await vi.advanceTimersByTimeAsync(2_501);
  await refused;
});

test('words that are taken after all are not lost', async () => {
  const taking = new Taking();
  const opened = Promise.withResolvers<string>();
  const taken = taking.inTime(opened.promise);
  taking.disturb();
  await vi.advanceTimersByTimeAsync(2_000);
  opened.resolve('taken');
  await expect(taken).resolves.toBe('taken');
  await vi.advanceTimersByTimeAsync(20_000);
});

test('a connection that says it is there and takes nothing is found out', async () => {
  const refused = expect(new Taking().inTime(never)).rejects.toThrow(new TooLate('the room', 16_000));
  await vi.advanceTimersByTimeAsync(16_001);
  await refused;
});
