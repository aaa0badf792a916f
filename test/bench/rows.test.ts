import { expect, test } from 'vitest';
import { agentsActivate } from './rows/agents-activate.ts';
import { agentsValidate } from './rows/agents-validate.ts';
import { scenarios } from './rows/scenarios.ts';

test.each([agentsValidate, agentsActivate, scenarios])(
  'the row $name runs in small and has its figures',
  async (row) => {
    const { figures, notes } = await row.run({ pairs: 1, smoke: true, say: () => undefined });
    expect(figures.filter(({ target }) => target)).toHaveLength(1);
    for (const { value } of figures) expect(value).toBeGreaterThan(0);
    expect(notes).not.toEqual([]);
  },
);
