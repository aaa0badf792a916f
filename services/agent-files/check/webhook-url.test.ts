import { expect, test } from 'vitest';
import { webhookUrlProblem } from './webhook-url.ts';

test.each([
  ['https://example.com/hook?x=1', 'production'],
  ['https://example.com:8443/hook', 'production'],
  ['http://127.0.0.1:7810/hook', 'development'],
  ['http://localhost/hook', 'development'],
  ['http://[::1]:7810/hook', 'development'],
  ['https://localhost/hook', 'development'],
] as const)('%s can be used in %s', (url, environment) => {
  expect(webhookUrlProblem(url, environment)).toBeUndefined();
});

test.each([
  ['example.com/hook', 'development'],
  ['http://example.com/hook', 'development'],
  ['http://127.0.0.1/hook', 'production'],
  ['https://127.0.0.1/hook', 'production'],
  ['https://2130706433/hook', 'production'],
  ['https://localhost./hook', 'production'],
  ['ftp://localhost/hook', 'development'],
  ['https://user:pass@example.com/hook', 'production'],
  ['https://example.com/hook#part', 'production'],
  ['http://127.0.0.1.example.com/hook', 'development'],
] as const)('%s cannot be used in %s', (url, environment) => {
  expect(webhookUrlProblem(url, environment)).toMatch(/\.$/);
});
