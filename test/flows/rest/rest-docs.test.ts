import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Problem, problems } from '../../../services/contract/problems.ts';

/** Told to operators by commands, to people (docs/call/account.md) or to the room server; no answer that docs/call/rest.md describes. */
const notOfThisSurface = new Set([
  'sign_in_failed',
  'forbidden',
  'invitation_not_open',
  'member_not_found',
  'last_owner',
  'already_member',
  'agent_not_found',
  'tenant_not_found',
  'prompt_conflict',
  'proposal_exists',
  'branch_protected',
  'prompt_not_editable',
]);

test('docs/call/rest.md lists every refusal with its status', async () => {
  const text = await readFile(new URL('../../../docs/call/rest.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| \d{3} \|/.test(line));
  for (const make of Object.values(problems)) {
    const problem = (make as (...given: unknown[]) => Problem)('x', ['x'], ['x']);
    expect(problem).toBeInstanceOf(Problem);
    if (notOfThisSurface.has(problem.code)) continue;
    const documented = rows.some(
      (row) => row.startsWith(`| ${problem.status} |`) && row.includes(`\`${problem.code}\``),
    );
    expect([problem.status, problem.code, documented]).toEqual([problem.status, problem.code, true]);
  }
});
