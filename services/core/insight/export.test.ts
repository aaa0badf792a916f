import { expect, test } from 'vitest';
import { csvField } from './export.ts';

test.each([
  [null, ''],
  [12, '12'],
  [true, 'true'],
  ['plain', 'plain'],
  ['with, comma', '"with, comma"'],
  ['says "hello"', '"says ""hello"""'],
  ['two\nlines', '"two\nlines"'],
  ['=HYPERLINK("http://evil.example")', '"\'=HYPERLINK(""http://evil.example"")"'],
  ['-1+1', "'-1+1"],
  [new Date('2026-11-22T10:00:00.000Z'), '2026-11-22T10:00:00.000Z'],
])('%o is the field %s', (value, field) => {
  expect(csvField(value)).toBe(field);
});
