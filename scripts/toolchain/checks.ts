import { join } from 'node:path';
import { runHere } from './commands.ts';

const root = join(import.meta.dirname, '../..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

export interface Check {
  name: string;
  run(): Promise<boolean>;
}

/** What must hold of the sources before any test is worth running. */
export const checks: readonly Check[] = [
  {
    // Import directions and cycles are lint rules: see "overrides" in biome.json.
    name: 'format, lint and import directions',
    run: () => runHere(bin('biome'), ['ci', '--colors=off', '--error-on-warnings', root]),
  },
  { name: 'types', run: () => runHere(bin('tsc'), ['--noEmit', '-p', join(root, 'tsconfig.json')]) },
  {
    name: 'generated code is current',
    run: () => runHere(process.execPath, [join(root, 'scripts', 'generate.ts'), '--check']),
  },
  {
    name: 'the agents are valid',
    run: () => runHere(process.execPath, [join(root, 'scripts', 'parley.ts'), 'agents', 'validate']),
  },
];

/** Runs all checks, says how each went, and gives the names of those that failed. */
export async function failedChecks(): Promise<string[]> {
  const failed: string[] = [];
  for (const { name, run } of checks) {
    const passed = await run();
    process.stdout.write(`${passed ? 'ok    ' : 'FAILED'} ${name}\n`);
    if (!passed) failed.push(name);
  }
  return failed;
}
