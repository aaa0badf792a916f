import type { Request } from 'express';
import { expect, test } from 'vitest';
import { idempotencyOf } from './caller.ts';

interface From {
  key?: string;
  address?: string;
  origin?: string;
  isSigned?: boolean;
}

const scopeOf = ({ key = 'order-number-000017', address = '203.0.113.1', origin, isSigned = false }: From = {}) => {
  const req = { get: () => key, access: { origin, address } } as unknown as Request;
  return idempotencyOf(req, { route: 'sessions', fields: {}, isSigned })?.scope;
};

test('a server that does not sign is given again only what was begun from its own address', () => {
  expect(scopeOf()).toBe(scopeOf());
  expect(scopeOf({ address: '198.51.100.9' })).not.toBe(scopeOf());
});

test('a server that signs may repeat its request from any address', () => {
  expect(scopeOf({ isSigned: true, address: '198.51.100.9' })).toBe(scopeOf({ isSigned: true }));
});

test('a page repeats its own request only: the same key of another page, or another address, is another request', () => {
  const page = { origin: 'https://a.example' };
  expect(scopeOf(page)).toBe(scopeOf(page));
  const others = [
    { origin: 'https://b.example' },
    { ...page, address: '198.51.100.9' },
    { ...page, isSigned: true },
    {},
  ];
  expect(new Set([page, ...others].map(scopeOf)).size).toBe(5);
});

test('what a signed request began is given to signed requests only', () => {
  expect(scopeOf({ isSigned: true })).not.toBe(scopeOf());
});
