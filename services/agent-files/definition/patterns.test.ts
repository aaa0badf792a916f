import { expect, test } from 'vitest';
import { groupsOf, patternProblem } from './patterns.ts';

test.each([
  'hello',
  '(?:hi|hello),? there',
  '\\b(?<orderId>A[- ]?\\d{3,6})\\b',
  '(\\d+)\\s+(?:people|guests)',
  'where.{0,40}order',
  '(?:ab)+',
  '(?<!guten )morgen',
  '\\p{L}+',
  '[^)]*\\)',
])('%s is good to use', (pattern) => {
  expect(patternProblem(pattern)).toBeUndefined();
});

test.each(['(a+)+', '(a*)*b', '(a|aa)+$', '(?:\\w+\\s?)*$', '(x+x+)+y', '(.{1,30}){2}', '((a)|(b))+', '(?:a?){9}'])(
  '%s repeats what varies',
  (pattern) => {
    expect(patternProblem(pattern)).toMatch(/repeats a group/);
  },
);

test.each(['.*a.*b', '\\w+\\w+\\w+', '[^a]*[^b]*', '.{1,200}.{1,200}'])('%s could take very long', (pattern) => {
  expect(patternProblem(pattern)).toMatch(/very long/);
});

test.each(['(a)\\1', '(?<x>a)\\k<x>'])('%s refers back', (pattern) => {
  expect(patternProblem(pattern)).toMatch(/refers back/);
});

test.each(['(', '[a', 'a**', '\\', '(?<x'])('%s is no regular expression', (pattern) => {
  expect(patternProblem(pattern)).toMatch(/^The pattern is not a regular expression: .+\.$/);
});

test('a very long pattern is refused', () => {
  expect(patternProblem('a'.repeat(501))).toMatch(/longer than 500/);
});

test('groups are told by their names', () => {
  expect(groupsOf('(?<a>x)(?:y)(?<b>z)')).toEqual({ named: ['a', 'b'], unnamed: false });
  expect(groupsOf('(x)')).toEqual({ named: [], unnamed: true });
  expect(groupsOf('\\(x\\)[(](?<!y)(?=z)')).toEqual({ named: [], unnamed: false });
});
