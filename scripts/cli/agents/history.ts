import { Command } from '@commander-js/extra-typings';
import { diffAgents, subjectsOf } from '../../../services/agent-files/compare/diff.ts';
import type { VersionRow } from '../../../services/store/tables/agents.ts';
import { asOperator, type Operator } from '../operator.ts';
import { sayTable } from '../table.ts';
import { onTarget } from '../target.ts';
import { readVersions } from './versions/known.ts';
import { shortName, stateOf } from './versions/words.ts';

export const command = onTarget(
  new Command()
    .description('Lists the versions of an agent, newest first, and what each changed')
    .argument('<agent>', 'its file name without .yaml'),
).action((agent, flags) => asOperator(flags, (operator) => history(operator, agent)));

async function history(operator: Operator, agent: string): Promise<void> {
  const known = await readVersions(operator, agent);
  const rows = known.versions.map((version, index) => [
    shortName(version.hash),
    version.commit ? shortName(version.commit) : '-',
    version.created_at.toISOString(),
    stateOf(known.live, version),
    whatChanged(known.versions[index + 1], version),
  ]);
  sayTable(operator.say, [['VERSION', 'COMMIT', 'FIRST LIVE', 'NOW', 'CHANGED'], ...rows]);
}

function whatChanged(before: VersionRow | undefined, { definition }: VersionRow): string {
  return before ? subjectsOf(diffAgents(before.definition, definition)) : 'the first version';
}
