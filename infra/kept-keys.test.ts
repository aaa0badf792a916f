import { expect, test } from 'vitest';
import { firstKeys, keysFault, keysInUse } from './kept-keys.ts';

const key = (letter: string) => Buffer.alloc(32, letter).toString('base64');
const kept = `k1:${key('a')}`;
const next = `k2:${key('b')}`;

test('without a word in the configuration the keys of the first up are used', () => {
  expect(keysInUse('master', kept, undefined)).toBe(kept);
});

test('a key is changed in two steps, of which neither leaves anybody without what opens', () => {
  expect(keysInUse('master', kept, `k1,${next}`)).toBe(`${kept},${next}`);
  expect(keysInUse('master', kept, `${next},k1`)).toBe(`${next},${kept}`);
});

test('what was sealed stays open: keys that leave it shut are refused', () => {
  expect(() => keysInUse('master', kept, next)).toThrow('parley:keys.master: It leaves out k1');
  expect(() => keysInUse('master', kept, `k1:${key('c')}`)).toThrow('Its k1 is another key');
  expect(() => keysInUse('master', kept, 'k1,k3')).toThrow('There is no key k3 yet');
});

test('a new stack takes over the keys of an old one (infra 8)', () => {
  const taken = firstKeys(`${next},${kept}`, 'made');
  expect(taken).toBe(`${next},${kept}`);
  expect(keysInUse('master', taken, `${next},${kept}`)).toBe(`${next},${kept}`);
  expect(firstKeys(`k1,${next}`, 'made')).toBe('made');
  expect(firstKeys(undefined, 'made')).toBe('made');
});

test('what is no list of keys is told', () => {
  expect(keysFault(`${next},k1`)).toBeUndefined();
  expect(keysFault('k2:short')).toContain('openssl rand -base64 32');
  expect(keysFault('k1,k1')).toContain('twice');
  expect(keysFault('K 1')).toContain('lower-case');
});
