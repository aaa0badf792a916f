import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Headers, signatureCheckFor } from './request-signature.ts';

const secret = "It's a Secret to Everybody";
const body = 'Hello, World!';
const hex = createHmac('sha256', secret).update(body).digest('hex');

function holds(headers: Headers, text = body): boolean | undefined {
  const check = signatureCheckFor(headers, secret);
  check?.add(Buffer.from(text.slice(0, 5)));
  check?.add(Buffer.from(text.slice(5)));
  return check?.holds();
}

test("GitHub's own example of a signature is accepted", () => {
  // From GitHub's documentation, "Validating webhook deliveries".
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
  expect(holds({ 'x-hub-signature-256': signature })).toBe(true);
});

test('each host is accepted by its own header', () => {
  expect(holds({ 'x-gitea-signature': hex })).toBe(true);
  expect(holds({ 'x-gitlab-token': secret })).toBe(true);
});

test.each<[string, Headers]>([
  ['another body', { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update('other').digest('hex')}` }],
  ['another secret', { 'x-gitea-signature': createHmac('sha256', 'other').update(body).digest('hex') }],
  ['a wrong token', { 'x-gitlab-token': `${secret}!` }],
  ['a signature as token', { 'x-gitlab-token': hex }],
  ['the secret as signature', { 'x-gitea-signature': secret }],
  ['half a signature', { 'x-hub-signature-256': `sha256=${hex.slice(0, 32)}` }],
])('%s is refused', (_, headers) => {
  expect(holds(headers)).toBe(false);
});

test('an event without a signature, or with an empty one, proves nothing', () => {
  expect(holds({})).toBeUndefined();
  expect(holds({ 'x-gitlab-token': '' })).toBeUndefined();
});
