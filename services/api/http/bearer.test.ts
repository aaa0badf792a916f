import { expect, test } from 'vitest';
import { readBearer } from './bearer.ts';

const key = `pk_${'aB3_-'.repeat(9).slice(0, 43)}`;
const jwt = `${Buffer.from('{"alg":"ES256"}').toString('base64url')}.e30.sig`;

test.each([
  [`Bearer ${key}`, { kind: 'key', key }],
  [`bearer   ${key} `, { kind: 'key', key }],
  [`Bearer ${key}x`, { kind: 'malformed_key' }],
  ['Bearer sk_anything', { kind: 'secret' }],
  [`Bearer ${jwt}`, { kind: 'user_token' }],
  ['Bearer aaaa.bbbb.cccc', { kind: 'none' }],
  [`Basic ${key}`, { kind: 'none' }],
  [key, { kind: 'none' }],
  ['Bearer', { kind: 'none' }],
  [`Bearer ${key} ${key}`, { kind: 'none' }],
  [undefined, { kind: 'none' }],
])('%s', (header, expected) => {
  expect(readBearer(header)).toEqual(expected);
});
