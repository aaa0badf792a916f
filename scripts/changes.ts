/** `npm run changes -- <before> <after>`: what changes between two folders of agents, as Markdown for a pull request. */
import { existsSync } from 'node:fs';
import { type LoadResult, loadAgents } from '../services/agent-files/load.ts';
import { changesBetween } from './changes/markdown.ts';
import { Fault } from './toolchain/fault.ts';
import { givenPath } from './toolchain/given-path.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const usage = `Usage: npm run changes -- <folder before> <folder after>

Says in Markdown which agents are new, gone or changed, and what: prompt, tools, languages, limits, cost. Reads files only.
Exit status 1 when the folder after has faults, which npx parley agents validate tells.`;

await runScript(async (args) => {
  const { values, positionals } = readArguments({
    args,
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) return console.log(usage);
  const [before, after, ...others] = positionals;
  if (before === undefined || after === undefined || others.length > 0) throw new Fault(usage);
  await tell(givenPath(before), givenPath(after));
});

/** A folder that was not there before is a beginning; one that is not there after is most likely misspelt. */
async function tell(before: string, after: string): Promise<void> {
  if (!existsSync(after)) throw new Fault(`There is no folder ${after}.`);
  const [old, fresh] = await Promise.all([load(before), load(after)]);
  console.log(changesBetween(old, fresh));
  if (fresh.faults.some(({ file, severity }) => file !== '.' && severity === 'error')) process.exitCode = 1;
}

/** Where tools point to matters to validation, not to what changed. */
function load(folder: string): Promise<LoadResult> {
  return loadAgents(folder, { environment: 'development' });
}
