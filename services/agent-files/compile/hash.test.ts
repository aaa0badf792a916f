import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, hashOf } from './hash.ts';

test('keys are sorted at every depth and lists keep their order', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }, 'x'], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1},"x"]}');
});

test('the hash is the SHA-256 of the canonical JSON', () => {
  expect(hashOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

test('any JSON reads back as it was, whatever its keys', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
  expect(canonicalJson(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
});

test('the order of keys makes no difference and every value does', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, key) => {
      const reversed = Object.fromEntries(Object.entries(object).reverse());
      expect(hashOf(reversed)).toBe(hashOf(object));
      expect(hashOf({ ...object, [`${key}+`]: 'new' })).not.toBe(hashOf({ ...object, [`${key}+`]: 'other' }));
    }),
  );
});
