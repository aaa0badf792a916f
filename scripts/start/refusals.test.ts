import { expect, test } from 'vitest';
import { givenPath } from '../toolchain/given-path.ts';
import { refusalLines } from './refusals.ts';

const reason = (line: number) => ({ file: 'desk.yaml', line, column: 1, message: 'There is no field "nam".' });

test('a revision that is refused is told with its places, one that went live is not', () => {
  const folder = givenPath('agents');
  expect(refusalLines({ state: 'active', reasons: [], reasonsLeftOut: 0 }, folder)).toEqual([]);
  expect(refusalLines({ state: 'active', reasons: [reason(2)], reasonsLeftOut: 0 }, folder)).toEqual([
    'Some agents go on as they were:',
    '  agents/desk.yaml:2:1  There is no field "nam".',
  ]);
  const many = { state: 'refused' as const, reasons: [1, 2, 3, 4, 5, 6].map(reason), reasonsLeftOut: 3 };
  const lines = refusalLines(many, folder);
  expect(lines).toHaveLength(7);
  expect(lines[0]).toContain('they have mistakes');
  expect(lines.at(-1)).toBe('  and 4 more: "npx parley agents revisions" lists them.');
});
