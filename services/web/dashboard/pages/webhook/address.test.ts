import { expect, test } from 'vitest';
import { choiceOf, isSameUrl, lineOf, urlOf } from './address.ts';

test.each([[null], ['https://example.com/hook'], [{ env: 'ORDERS_WEBHOOK_URL' }]])(
  '%j is read into the form and comes out of it unchanged',
  (url) => {
    expect(urlOf(choiceOf(url))).toEqual(url);
  },
);

test('a line that is empty is nothing that could be written, but nowhere is', () => {
  const empty = { address: ' ', variable: '' };
  expect(urlOf({ kind: 'address', ...empty })).toBeUndefined();
  expect(urlOf({ kind: 'variable', ...empty })).toBeUndefined();
  expect(urlOf({ kind: 'nowhere', ...empty })).toBeNull();
});

test('what is shown beside each other is what the file says', () => {
  expect(lineOf({ env: 'HOOK' })).toBe('webhook: { url: { env: HOOK } }');
  expect(lineOf(null)).toBeUndefined();
  expect(isSameUrl('https://a.example', 'https://a.example')).toBe(true);
  expect(isSameUrl({ env: 'A' }, 'A')).toBe(false);
});
