import { expect, test } from 'vitest';
import { readVerdict } from './judge.ts';

test('a verdict is read from JSON, with words around it or not', () => {
  expect(readVerdict('{"holds": true, "why": "it does"}')).toEqual({ holds: true, why: 'it does' });
  expect(readVerdict('Sure:\n```json\n{"holds": false, "why": "no"}\n```')).toEqual({ holds: false, why: 'no' });
});

test.each(['yes', '', '{}', '{"holds": "true"}', '{"holds": tru'])('%j is no verdict, and so a no', (answer) => {
  expect(readVerdict(answer)).toEqual({ holds: false, why: `the judge gave no verdict: ${answer}` });
});
