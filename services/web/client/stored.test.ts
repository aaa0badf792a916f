import { expect, test } from 'vitest';
import { storedJson, storedText } from './stored.ts';

function memory() {
  const kept = new Map<string, string>();
  return () => ({
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  });
}

test('what is kept under a name is read under it, until it is forgotten', () => {
  const storage = memory();
  const [mine, other] = [storedJson(storage, 'mine'), storedJson(storage, 'other')];
  mine.write({ at: 1 });
  expect([mine.read(), other.read()]).toEqual([{ at: 1 }, undefined]);
  mine.forget();
  expect(mine.read()).toBeUndefined();
});

test('what cannot be read is nothing', () => {
  const storage = memory();
  storedText(storage, 'mine').write('{');
  expect(storedJson(storage, 'mine').read()).toBeUndefined();
});

test('a browser that forbids storage keeps nothing, and nobody hears of it', () => {
  const forbidden = storedText(() => {
    throw new DOMException('forbidden');
  }, 'mine');
  forbidden.write('x');
  forbidden.forget();
  expect(forbidden.read()).toBeUndefined();
});
