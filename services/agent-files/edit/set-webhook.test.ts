import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { setWebhookUrl, type WebhookUrl, webhookUrlOf } from './set-webhook.ts';

/** Ways in which people write it; `before` and `after` must come out as they went in. */
const written: [name: string, before: string, value: string, after: string][] = [
  [
    'a block',
    '# one\nname: x  # two\n\nwebhook:\n  # where to\n  url: ',
    'https://old.example/a',
    '  # why\n\n# three\nprompt: x\n',
  ],
  ['quotes', 'webhook:\n    url:   ', '"https://old.example/a"', '\nprompt: x\n'],
  ['a map on one line', 'name: x\nwebhook: { url: ', 'https://old.example/a', ' }   # why\nprompt: x\n'],
  ['a variable on one line', 'webhook: { url: ', '{ env: OLD_URL }', ' }\nprompt: x\n'],
  ['a variable in a block', 'webhook:\n  url:\n    ', 'env: OLD_URL', '\n\nprompt: x\n'],
  ['the last line of a file', 'prompt: x\nwebhook:\n  url: ', 'https://old.example/a', ''],
  ['line ends of Windows', 'webhook:\r\n  url: ', 'https://old.example/a', '\r\nprompt: x\r\n'],
];

const urls: fc.Arbitrary<Exclude<WebhookUrl, null>> = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  fc.constantFrom(
    'https://x.example/#',
    'https://x.example/a: b',
    "https://x.example/'",
    'https://x.example/a # b',
    'https://x.example/{a}',
  ),
  fc.constantFrom({ env: 'HOOK_URL' }, { env: 'X' }),
);

describe('the address of a webhook that is changed', () => {
  test.each(written)('changes nothing else: %s', (_name, before, value, after) => {
    fc.assert(
      fc.property(urls, (url) => {
        const text = setWebhookUrl(before + value + after, url);
        expect(text && webhookUrlOf(text)).toEqual(url);
        expect(text?.startsWith(before)).toBe(true);
        expect(text?.endsWith(after)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ['name: x\n', 'name: x\nwebhook:\n  url: https://a.example/b\n'],
    ['# one\n\nname: x # two', '# one\n\nname: x # two\nwebhook:\n  url: https://a.example/b\n'],
    ['name: x\r\n', 'name: x\r\nwebhook:\r\n  url: https://a.example/b\r\n'],
    [
      '  name: x\n  prompt: |\n    Be kind.\n',
      '  name: x\n  prompt: |\n    Be kind.\n  webhook:\n    url: https://a.example/b\n',
    ],
    ['name: x\nwebhook:\nprompt: y\n', 'name: x\nwebhook: { url: https://a.example/b }\nprompt: y\n'],
    ['{ name: x }\n', '{ name: x, webhook: { url: https://a.example/b } }\n'],
  ])('is added where there was none: %j', (before, after) => {
    expect(setWebhookUrl(before, 'https://a.example/b')).toBe(after);
  });

  test.each([
    ['name: x\nwebhook:\n  url: https://a.example/b # why\n# two\nprompt: y\n', 'name: x\n# two\nprompt: y\n'],
    ['webhook: { url: { env: X } }\nprompt: y\n', 'prompt: y\n'],
    ['prompt: y\nwebhook:\n  url: https://a.example/b', 'prompt: y\n'],
    ['{ name: x, webhook: { url: https://a.example/b }, prompt: y }\n', '{ name: x, prompt: y }\n'],
    ['{ name: x, webhook: { url: https://a.example/b } }\n', '{ name: x }\n'],
  ])('is taken away with its lines: %j', (before, after) => {
    expect(setWebhookUrl(before, null)).toBe(after);
  });

  test('leaves a file alone that says that already', () => {
    const text = 'webhook:   {url: "https://a.example/b"}\n';
    expect(setWebhookUrl(text, 'https://a.example/b')).toBe(text);
    expect(setWebhookUrl('name: x\n', null)).toBe('name: x\n');
  });

  test.each(['', '- a\n', 'webhook: [a]\n', 'webhook: "x\n', 'webhook:\n  url: 5\n'])(
    'is refused where it cannot be read: %j',
    (text) => {
      expect(setWebhookUrl(text, 'https://a.example/b')).toBeUndefined();
    },
  );
});
