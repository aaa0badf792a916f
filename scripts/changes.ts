/** `npm run changes -- <before> <after>`: what changes between two folders of agents, as Markdown for a pull request. */
import { parseArgs } from 'node:util';
import { type LoadResult, loadAgents } from '../services/contract/agents/load.ts';
import { changesBetween } from './changes/markdown.ts';

const usage = `Usage: npm run changes -- <folder before> <folder after>

Says in Markdown which agents are new, gone or changed, and what: prompt, tools, languages, limits, cost. Reads files only.
Exit status 1 when the folder after has faults, which npm run validate tells.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h', default: false } },
});

async function tell(from: string, to: string): Promise<void> {
  const [old, fresh] = await Promise.all([load(from), load(to)]);
  console.log(changesBetween(old, fresh));
  if (fresh.faults.some(({ file, severity }) => file !== '.' && severity === 'error')) process.exitCode = 1;
}

/** Where tools point to matters to validation, not to what changed. */
const load = (folder: string): Promise<LoadResult> => loadAgents(folder, { environment: 'development' });

const [before, after] = positionals;
if (values.help) console.log(usage);
else if (before === undefined || after === undefined || positionals.length > 2) {
  console.error(usage);
  process.exitCode = 1;
} else await tell(before, after);
