import { expect, test } from 'vitest';
import { underLock } from './under-lock.ts';

const never = new Promise<never>(() => undefined);

/** Locks that tell what was done with them. */
function locksThat(hold: () => Promise<void>) {
  const done: string[] = [];
  return {
    done,
    hold: async (name: string) => {
      done.push(`hold ${name}`);
      await hold();
    },
    letGo: async (name: string) => void done.push(`let go ${name}`),
  };
}

const turn = (more: { withinMs?: number; signal?: AbortSignal } = {}) => ({
  name: 'scenarios',
  withinMs: 60_000,
  signal: new AbortController().signal,
  ...more,
});

test('work is done when the turn has come, and the turn is given back whatever becomes of it', async () => {
  const locks = locksThat(async () => undefined);
  expect(await underLock(locks, turn(), async () => locks.done.push('work'))).toBe(2);
  await expect(underLock(locks, turn(), () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(locks.done).toEqual([
    ...['hold scenarios', 'work', 'let go scenarios'],
    ...['hold scenarios', 'let go scenarios'],
  ]);
});

test('a turn that never comes is waited for no longer than was said', async () => {
  const locks = locksThat(() => never);
  expect(await underLock(locks, turn({ withinMs: 10 }), async () => 'done anyway')).toBe('done anyway');
  expect(locks.done).toEqual(['hold scenarios', 'let go scenarios']);
});

test('a worker that stops while it waits does nothing more', async () => {
  const locks = locksThat(() => never);
  const stopping = new AbortController();
  const waiting = underLock(locks, turn({ signal: stopping.signal }), async () => locks.done.push('work'));
  stopping.abort();
  await expect(waiting).rejects.toThrow();
  expect(locks.done).toEqual(['hold scenarios', 'let go scenarios']);
});
