import { Command } from '@commander-js/extra-typings';
import { diffAgents } from '../../../services/agent-files/compare/diff.ts';
import { Fault } from '../../toolchain/fault.ts';
import { asOperator, type Operator } from '../operator.ts';
import { onTarget } from '../target.ts';
import { liveOne, named, readVersions, versionBefore } from './versions/known.ts';
import { sayChanges, titleOf } from './versions/words.ts';

export const command = onTarget(
  new Command()
    .description('Shows what changed between two versions of an agent; without them, what the live one changed')
    .argument('<agent>', 'its file name without .yaml')
    .argument('[before]', 'beginning of its hash or of its commit')
    .argument('[after]', 'the same'),
).action((agent, before, after, flags) => {
  if (before !== undefined && after === undefined) throw new Fault('Name two versions, or none.');
  const names = before === undefined || after === undefined ? [] : [before, after];
  return asOperator(flags, (operator) => diff(operator, agent, names));
});

async function diff(operator: Operator, agent: string, names: readonly string[]): Promise<void> {
  const known = await readVersions(operator, agent);
  const after = names[1] === undefined ? liveOne(known) : named(known, names[1]);
  const before = names[0] === undefined ? versionBefore(known, after) : named(known, names[0]);
  if (!before) return operator.say(`${agent} ${titleOf(after)} is its first version.`);
  operator.say(`${agent}: ${titleOf(before)} → ${titleOf(after)}`);
  sayChanges(operator.say, diffAgents(before.definition, after.definition));
}
