import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { promptOf, setPrompt } from './set-prompt.ts';

/** Ways in which people write a prompt; `before` and `after` must come out as they went in. */
const written: [name: string, before: string, prompt: string, after: string][] = [
  [
    'a block',
    '# one\nname: "Desk"  # two\n\nprompt: ',
    '|\n  Be kind.\n\n  And brief.',
    '\n\n# three\nlanguages: []\n',
  ],
  ['a block with a header', 'name: x\nprompt: ', '|-   # why\n     Be kind.', '\n\n\nknowledge: [a.md]   # four\n'],
  ['a folded block', 'prompt: ', '>-\n  Be\n  kind.', '\nname: x\n'],
  ['a block that keeps line ends', 'prompt: ', '|+\n  Be kind.', '\n\n\nname: x\n'],
  ['the last block of a file', 'name: x\nprompt: ', '|\n  Be kind.', ''],
  ['plain text', 'prompt: ', 'Be kind.', ' # a reason\nname:   x\n'],
  ['plain text of two lines', 'prompt: ', 'Be\n   kind.', '\nname:   x\n'],
  ['double quotes', 'prompt:   ', '"Be kind."', '   \nname: x\n'],
  ['single quotes', 'prompt: ', "'It''s me.'", '\nname: x\n'],
  ['a map on one line', '{ name: x, prompt: ', 'Be kind.', ' , languages: [] }\n'],
  ['line ends of Windows', 'name: x\r\nprompt: ', '|\r\n  Be kind.', '\r\n\r\nlanguages: []\r\n'],
  ['an indented map', '  name: x\n  prompt: ', '|\n      Be kind.', '\n  languages: []\n'],
  ['a comment after a block', 'prompt: ', '|\n  Be kind.', '\n# about languages\nlanguages: []\n'],
];

const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom(
    '',
    ' ',
    '\t',
    '# no comment',
    '- item',
    'key: value',
    '  indented',
    '"',
    "'",
    '---',
    '...',
    '|',
    '{{now}}',
  ),
  fc.constantFrom(
    'tail ',
    '\u0000',
    '\u0085',
    '\u2028',
    '\ufeff',
    '*alias',
    '&anchor',
    '!tag',
    '%',
    '@',
    'true',
    '12',
    '~',
    ': ',
  ),
);
const prompts = fc.oneof(
  fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('\n')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
);

describe('a prompt that is changed', () => {
  test.each(written)('changes nothing else: %s', (_name, before, value, after) => {
    fc.assert(
      fc.property(prompts, (prompt) => {
        const wanted = prompt.replaceAll(/\r\n?/g, '\n').trim().toWellFormed();
        fc.pre(wanted !== '');
        const text = setPrompt(before + value + after, prompt);
        expect(text).toBeDefined();
        expect(promptOf(text ?? '')?.trim()).toBe(wanted);
        // A comment behind a value moves with it to the head of a block; nothing else moves.
        const [comment = ''] = isInline(value) ? (/^[^\r\n]*/.exec(after) ?? []) : [];
        expect(text?.startsWith(before)).toBe(true);
        expect(text?.endsWith(after.slice(comment.length))).toBe(true);
        expect(text).toContain(comment);
      }),
      { numRuns: 150 },
    );
  });

  const isInline = (value: string): boolean => !/^[|>]/.test(value);

  test('twice gives the first text again when the first prompt comes back', () => {
    for (const [, before, value, after] of written.filter(([, , text]) => /^\|\r?\n/.test(text))) {
      const text = before + value + after;
      const changed = setPrompt(text, 'Something\n\nelse: # here') ?? '';
      expect(setPrompt(changed, promptOf(text) ?? '')).toBe(text);
    }
  });

  test('keeps a block a block, with its indentation', () => {
    expect(setPrompt('prompt: |-  # why\n    Old.\n\nname: x\n', 'New.\n\n  - one\n')).toBe(
      'prompt: |-  # why\n    New.\n\n      - one\n\nname: x\n',
    );
  });

  test('leaves a file alone whose prompt says that already', () => {
    const text = 'prompt: >\n  Be\n  kind.\n';
    expect(setPrompt(text, 'Be kind.\n')).toBe(text);
  });

  test.each([
    '',
    'name: x\n',
    'prompt: [a]\n',
    'prompt: {{now}}\n',
    '- a\n',
    'prompt: "x\n',
    'a: 1\na: 2\nprompt: x\n',
  ])('is refused where there is none to change: %j', (text) => {
    expect(setPrompt(text, 'x')).toBeUndefined();
  });
});
