import { expect, test } from 'vitest';
import { checkSignature, sign } from './signature.ts';

const secret = Buffer.alloc(32, 1);
const request = { method: 'POST', target: '/api/sessions', body: Buffer.from('{"language":"en"}') };
const now = new Date(1_800_000_000_000);
const header = (at = 1_800_000_000, by = secret) => `t=${at},v1=${sign(by, String(at), request).toString('hex')}`;

test('the signature of a known request is the one that openssl makes', () => {
  expect(header()).toBe('t=1800000000,v1=5c394fa0da2887358462bd6f714991c5bb126c0bcfc4d9d8f36cb9a0dc88453f');
});

test('any of the secrets in force may have signed', () => {
  const check = checkSignature({ ...request, header: header() }, [Buffer.alloc(32, 9), secret], now);
  expect(check).toEqual({ ok: true, signature: sign(secret, '1800000000', request) });
});

test('five minutes either way are accepted, more are not', () => {
  const at = (seconds: number) =>
    checkSignature({ ...request, header: header(1_800_000_000 + seconds) }, [secret], now).ok;
  expect([at(-300), at(300), at(-301), at(301)]).toEqual([true, true, false, false]);
});

test('a header of another form is refused without a look at the secrets', () => {
  for (const wrong of [
    '',
    't=1',
    'v1=aa',
    `t=x,v1=${'a'.repeat(64)}`,
    `t=1800000000,v1=${'a'.repeat(63)}`,
    `${header()},v1=00`,
  ]) {
    expect(checkSignature({ ...request, header: wrong }, [], now)).toMatchObject({ ok: false });
  }
});
