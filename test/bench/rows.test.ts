import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { whatItTakes } from './misses.ts';
import { committedResults, performancePage } from './results.ts';
import { agentsActivate } from './rows/agents-activate.ts';
import { agentsValidate } from './rows/agents-validate.ts';
import { scenarios } from './rows/scenarios.ts';
import { rows } from './rows.ts';

test.each([agentsValidate, agentsActivate, scenarios])(
  'the row $name runs in small and has its figures',
  async (row) => {
    const { figures, notes } = await row.run({ pairs: 1, smoke: true, say: () => undefined });
    expect(figures.filter(({ target }) => target)).toHaveLength(1);
    for (const { value } of figures) expect(value).toBeGreaterThan(0);
    expect(notes).not.toEqual([]);
  },
);

test('a target that is missed is published with what meeting it would take', async () => {
  const results = await committedResults(rows.map(({ name }) => name));
  const missed = results.flatMap(({ row, figures }) =>
    figures.filter(({ met }) => met === false).map(({ name }) => ({ row, name })),
  );
  expect(missed).not.toEqual([]);
  expect(missed.filter(({ row, name }) => whatItTakes(row, name) === undefined)).toEqual([]);
  expect(await readFile('docs/performance.md', 'utf8')).toBe(performancePage(results));
});
