import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Problem, problems } from '../../../services/contract/problems.ts';

/** Also told by commands; account.md says it in the paragraph on roles. */
const saidInProse = new Set(['tenant_not_found']);

const page = (name: string) => readFile(new URL(`../../../docs/call/${name}`, import.meta.url), 'utf8');

test('docs/call/rest.md, or account.md where only people meet it, lists every refusal with its status', async () => {
  const texts = await Promise.all(['rest.md', 'account.md'].map(page));
  const rows = texts.flatMap((text) => text.split('\n')).filter((line) => /^\| \d{3} \|/.test(line));
  for (const make of Object.values(problems)) {
    const problem = (make as (...given: unknown[]) => Problem)('x', ['x'], ['x']);
    expect(problem).toBeInstanceOf(Problem);
    if (saidInProse.has(problem.code)) continue;
    const documented = rows.some(
      (row) => row.startsWith(`| ${problem.status} |`) && row.includes(`\`${problem.code}\``),
    );
    expect([problem.status, problem.code, documented]).toEqual([problem.status, problem.code, true]);
  }
});
