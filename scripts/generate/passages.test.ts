import { expect, test } from 'vitest';
import { withField, withPassage } from './passages.ts';

test('a passage is replaced between its comments, and a missing one is a fault', () => {
  const page = 'Before.\n<!-- names: written by npm run generate -->\nold\n<!-- end -->\nAfter.\n';
  expect(withPassage(page, 'names', 'a\nb')).toBe(page.replace('old', 'a\nb'));
  expect(() => withPassage(page, 'others', 'a')).toThrow('no passage "others"');
});

test('a field is replaced where it stands, and nowhere else', () => {
  const schema =
    '{ "A": { "enum": ["x"] }, "B": { "items": { "a": 1 }, "enum": ["y", "z"], "description": "Old \\"one\\"." } }';
  expect(withField(schema, 'B', 'enum', ['new'])).toBe(schema.replace('["y", "z"]', '["new"]'));
  expect(withField(schema, 'B', 'description', 'A $& new one.')).toBe(
    schema.replace('Old \\"one\\".', () => 'A $& new one.'),
  );
  expect(() => withField(schema, 'A', 'description', 'None.')).toThrow('no field "description" in "A"');
});
