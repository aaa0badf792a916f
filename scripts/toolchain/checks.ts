import { join } from 'node:path';
import { runAside } from './commands.ts';

const root = join(import.meta.dirname, '../..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

export interface Check {
  name: string;
  file: string;
  args: readonly string[];
}

/** What must hold of the sources before any test is worth running. */
export const checks: readonly Check[] = [
  {
    // Import directions and circles of imports, those of types included, are lint rules of biome.json.
    name: 'format, lint and import directions',
    file: bin('biome'),
    args: ['ci', '--colors=off', '--error-on-warnings', root],
  },
  { name: 'types', file: bin('tsc'), args: ['--noEmit', '-p', join(root, 'tsconfig.json')] },
  {
    name: 'generated code is current',
    file: process.execPath,
    args: [join(root, 'scripts', 'generate.ts'), '--check'],
  },
  {
    name: 'the agents are valid',
    file: process.execPath,
    args: [join(root, 'scripts', 'parley.ts'), 'agents', 'validate'],
  },
];

/** Runs all checks beside each other, says how each went, and gives the names of those that failed. */
export async function failedChecks(): Promise<string[]> {
  const failed = await Promise.all(
    checks.map(async ({ name, file, args }) => {
      const { succeeded, output } = await runAside(file, args);
      process.stdout.write(`${output}${succeeded ? 'ok    ' : 'FAILED'} ${name}\n`);
      return succeeded ? [] : [name];
    }),
  );
  return failed.flat();
}
