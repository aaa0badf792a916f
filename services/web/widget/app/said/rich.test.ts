import { expect, test } from 'vitest';
import { type Block, blocksOf, type Part, safeUrl } from './rich.ts';

const partsIn = (block: Block | undefined): Part[] => {
  if (block?.kind === 'paragraph') return block.parts;
  return block?.kind === 'list' ? block.items.flat() : [];
};
const linksIn = (text: string) =>
  blocksOf(text)
    .flatMap(partsIn)
    .filter((part) => part.kind === 'link');

test('paragraphs, lists, bold, code and links are told apart', () => {
  const text =
    'Two ways:\n\n- by **train**\n- by `bus`\n\n1. Go to https://a.example/x.\n2. [Book](https://b.example)\n\nBye';
  expect(blocksOf(text)).toEqual([
    { kind: 'paragraph', parts: [{ kind: 'text', text: 'Two ways:' }] },
    {
      kind: 'list',
      isOrdered: false,
      start: 1,
      items: [
        [
          { kind: 'text', text: 'by ' },
          { kind: 'bold', text: 'train' },
        ],
        [
          { kind: 'text', text: 'by ' },
          { kind: 'code', text: 'bus' },
        ],
      ],
    },
    {
      kind: 'list',
      isOrdered: true,
      start: 1,
      items: [
        [
          { kind: 'text', text: 'Go to ' },
          { kind: 'link', text: 'https://a.example/x', url: 'https://a.example/x' },
          { kind: 'text', text: '.' },
        ],
        [{ kind: 'link', text: 'Book', url: 'https://b.example/' }],
      ],
    },
    { kind: 'paragraph', parts: [{ kind: 'text', text: 'Bye' }] },
  ]);
});

test('HTML is text', () => {
  const html = '<img src=x onerror=alert(1)><script>alert(1)</script>';
  expect(blocksOf(html)).toEqual([{ kind: 'paragraph', parts: [{ kind: 'text', text: html }] }]);
});

test.for([
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://a.example/1)',
  '[x](//evil.example)',
  '[x](/relative)',
  '[x](https://bank.example@evil.example/)',
  '[x](\u0001javascript:alert(1))',
  '[x](java\u200Bscript:alert(1))',
  'javascript:alert(1)',
])('%j is no link', (text) => {
  expect(linksIn(text)).toEqual([]);
});

test('a picture becomes a link to it, and is not loaded', () => {
  expect(linksIn('![logo](https://a.example/pixel.gif?id=1)')).toEqual([
    { kind: 'link', text: 'logo', url: 'https://a.example/pixel.gif?id=1' },
  ]);
});

test('a link that reads as another address says where it leads', () => {
  expect(linksIn('[bank.example](https://evil.example/login)')).toEqual([
    { kind: 'link', text: 'bank.example', url: 'https://evil.example/login', host: 'evil.example' },
  ]);
  expect(linksIn('[www.bank.example](https://bank.example/login)')[0]).not.toHaveProperty('host');
  expect(linksIn('[our page](https://bank.example/)')[0]).not.toHaveProperty('host');
});

test('characters that turn the direction of words are left out', () => {
  expect(blocksOf('\u202Eexe.gpj\u202C \u2066x\u2069')).toEqual([
    { kind: 'paragraph', parts: [{ kind: 'text', text: 'exe.gpj x' }] },
  ]);
});

test('an address keeps its brackets, and loses the full stop after it', () => {
  expect(linksIn('See [it](https://a.example/x_(y)).')[0]).toMatchObject({ url: 'https://a.example/x_(y)' });
  expect(linksIn('See https://a.example/x, please.')[0]).toMatchObject({ url: 'https://a.example/x' });
});

test('mail and telephone can be followed', () => {
  expect(safeUrl('mailto:a@b.example')).toBe('mailto:a@b.example');
  expect(safeUrl('tel:+49301234')).toBe('tel:+49301234');
});

test('a block of code is kept as it is, also while its end has not come', () => {
  expect(blocksOf('```js\n**a**\n```\nafter')).toEqual([
    { kind: 'code', text: '**a**' },
    { kind: 'paragraph', parts: [{ kind: 'text', text: 'after' }] },
  ]);
  expect(blocksOf('```\na')).toEqual([{ kind: 'code', text: 'a' }]);
});

const written = (block: Block): string => {
  if (block.kind === 'code') return block.text;
  return partsIn(block)
    .map(({ text }) => text)
    .join('');
};

const unmarked = (text: string) => text.replace(/[*`]/g, '');

test.for(['[', '![', '**a', '`a', 'https://', '[a](', '[](', '((((', '<b>'])(
  'a long line of %j loses nothing',
  (piece) => {
    for (const length of [19_000, 200_000]) {
      const long = piece.repeat(Math.floor(length / piece.length));
      // Not toBe: what differs would be printed.
      expect(unmarked(blocksOf(long).map(written).join('')) === unmarked(long)).toBe(true);
    }
  },
);
