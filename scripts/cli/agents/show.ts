import { Command } from '@commander-js/extra-typings';
import { instructionTokens } from '../../../services/agent-files/compare/diff.ts';
import { asOperator, type Operator } from '../operator.ts';
import { onTarget } from '../target.ts';
import { liveOne, named, readVersions } from './versions/known.ts';
import { sayAgent, stateOf } from './versions/words.ts';

export const command = onTarget(
  new Command()
    .description('Prints a version of an agent in full; without one, the live one')
    .argument('<agent>', 'its file name without .yaml')
    .argument('[version]', 'beginning of its hash or of its commit'),
).action((agent, version, flags) => asOperator(flags, (operator) => show(operator, agent, version)));

async function show(operator: Operator, agent: string, name: string | undefined): Promise<void> {
  const known = await readVersions(operator, agent);
  const version = name === undefined ? liveOne(known) : named(known, name);
  const { say } = operator;
  say(`${agent}, version ${version.hash}`);
  say(`  commit       ${version.commit ?? 'none: it came from a folder'}`);
  say(`  first live   ${version.created_at.toISOString()}`);
  say(`  now          ${stateOf(known.live, version) || 'not live'}`);
  say(`  instructions about ${instructionTokens(version.definition)} tokens in every turn, tools included`);
  sayAgent(say, version.definition);
}
