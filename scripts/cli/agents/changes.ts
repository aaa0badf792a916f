import { existsSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { type LoadResult, loadAgents } from '../../../services/agent-files/load.ts';
import { Fault } from '../../toolchain/fault.ts';
import { givenPath } from '../../toolchain/given-path.ts';
import { say } from '../../toolchain/say.ts';
import { changesBetween } from './changes/markdown.ts';

export const command = new Command()
  .description('Says in Markdown what changes between two folders of agents')
  .argument('<folder-before>', 'one that is not there is a beginning', givenPath)
  .argument('<folder-after>', 'one that is not there is most likely misspelt', givenPath)
  .addHelpText(
    'after',
    `
Which agents are new, gone or changed, and what: prompt, tools, languages, limits, cost. Reads files only.
Exit status 1 when the folder after has faults, which "parley agents validate" tells.`,
  )
  .action(tell);

/** A folder that was not there before is a beginning; one that is not there after is most likely misspelt. */
async function tell(before: string, after: string): Promise<void> {
  if (!existsSync(after)) throw new Fault(`There is no folder ${after}.`);
  const [old, fresh] = await Promise.all([load(before), load(after)]);
  say(changesBetween(old, fresh));
  if (fresh.faults.some(({ file, severity }) => file !== '.' && severity === 'error')) process.exitCode = 1;
}

/** Where tools point to matters to validation, not to what changed. */
function load(folder: string): Promise<LoadResult> {
  return loadAgents(folder, { environment: 'development' });
}
