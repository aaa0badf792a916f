/** One row in a process of its own, so that its time can be limited and nothing of an earlier row weighs on it. */

import { serve } from './remote.ts';
import type { Measured, RowOptions } from './row.ts';
import { rows } from './rows.ts';

async function run({ row: name, pairs, smoke }: Omit<RowOptions, 'say'> & { row: string }): Promise<Measured> {
  const row = rows.find((known) => known.name === name);
  if (!row) throw new Error(`there is no row ${name}`);
  return row.run({ pairs, smoke, say: (line) => process.stdout.write(`  ${line}\n`) });
}

export const commands = { run };

serve(commands);
