import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { signatureHeaders } from './sign.ts';

const secret = () => `sk_${randomBytes(32).toString('base64url')}`;
/** What a customer gives to a Standard Webhooks library. */
const whsec = (text: string) => `whsec_${Buffer.from(text.slice(3), 'base64url').toString('base64')}`;
const delivery = { id: 'e3f1c5a0', body: '{"type":"conversation.finished","data":{"summary":"Grüße 👋"}}' };

test('the library of Standard Webhooks verifies what we sign', () => {
  const key = secret();
  const headers = signatureHeaders({ ...delivery, at: new Date() }, [key]);
  expect(new Webhook(whsec(key)).verify(delivery.body, headers)).toEqual(JSON.parse(delivery.body));
});

test('with two secrets a receiver that has either verifies, and one that has neither does not', () => {
  const keys = [secret(), secret()];
  const headers = signatureHeaders({ ...delivery, at: new Date() }, keys);
  for (const key of keys) expect(() => new Webhook(whsec(key)).verify(delivery.body, headers)).not.toThrow();
  expect(() => new Webhook(whsec(secret())).verify(delivery.body, headers)).toThrow();
});

test('another body or another time does not verify', () => {
  const key = secret();
  const headers = signatureHeaders({ ...delivery, at: new Date() }, [key]);
  expect(() => new Webhook(whsec(key)).verify(`${delivery.body} `, headers)).toThrow();
  const old = signatureHeaders({ ...delivery, at: new Date(Date.now() - 3_600_000) }, [key]);
  expect(() => new Webhook(whsec(key)).verify(delivery.body, old)).toThrow();
});
