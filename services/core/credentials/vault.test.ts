import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeVault } from './vault.ts';

const key = (name: string) => `${name}:${randomBytes(32).toString('base64')}`;
const number = '+4930123456';

test('a telephone number has one hash in a tenant, another in the next, and none without the key', () => {
  const [first, second] = [makeVault(key('k1')), makeVault(key('k1'))];
  expect(first.hashesOfNumber(number, 'a')).toEqual(first.hashesOfNumber(number, 'a'));
  expect(first.hashesOfNumber(number, 'a')).not.toEqual(first.hashesOfNumber(number, 'b'));
  expect(first.hashesOfNumber(number, 'a')).not.toEqual(second.hashesOfNumber(number, 'a'));
});

test('what was stored under the master key before is still found under the next one', () => {
  const old = key('k1');
  const [stored] = makeVault(old).hashesOfNumber(number, 'a');
  const rotated = makeVault(`${key('k2')},${old}`).hashesOfNumber(number, 'a');
  expect(rotated).toHaveLength(2);
  expect(rotated[0]).not.toEqual(stored);
  expect(rotated[1]).toEqual(stored);
});

test('a number that was sealed for one side of a call opens for nothing else', () => {
  const vault = makeVault(key('k1'));
  const sealed = vault.seal(number, { tenant: 'a', call: 'c_1', side: 'to' });
  expect(vault.open(sealed, { tenant: 'a', call: 'c_1', side: 'to' })).toBe(number);
  expect(() => vault.open(sealed, { tenant: 'a', call: 'c_1', side: 'from' })).toThrow();
  expect(() => vault.open(sealed, { tenant: 'b', call: 'c_1', side: 'to' })).toThrow();
});
