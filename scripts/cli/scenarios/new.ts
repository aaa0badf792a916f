import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { checkFiles } from '../../../services/agent-files/check-files.ts';
import { agentVariablesIn } from '../../../services/agent-files/definition/agent-variables.ts';
import { isError } from '../../../services/agent-files/faults.ts';
import { type LoadResult, readAgentTexts } from '../../../services/agent-files/load.ts';
import { scenarioFile } from '../../../services/agent-files/scenarios/position.ts';
import { scenarioVariables } from '../../../services/agent-files/scenarios/variables.ts';
import { Problem } from '../../../services/contract/problems.ts';
import type { Draft } from '../../../services/core/scenarios/from-conversation.ts';
import { type DraftedScenario, scenarioOf } from '../../../services/core/scenarios/from-session.ts';
import { appended } from '../../../services/core/scenarios/scenario-text.ts';
import { runScenarioProcess } from '../../../services/scenario-runner/child-process.ts';
import { Fault } from '../../toolchain/fault.ts';
import { shownPath } from '../../toolchain/given-path.ts';
import { agentsOption } from '../agents-folder.ts';
import { asOperator, type Operator } from '../operator.ts';
import { onDatabase } from '../target.ts';

const runDeadlineMs = 60_000;

const warning =
  'It holds what a person said, and Git keeps it for ever. Read it before you commit it; --redact masks addresses and numbers.';
const redactedWarning =
  'Addresses and long numbers are masked. Names and whatever else a person told are not: read it before you commit it.';

export const command = onDatabase(
  new Command()
    .description('Writes a stored conversation as a scenario of its agent')
    .argument('<session>', 'id of a session that is over')
    .addOption(agentsOption())
    .option('--redact', 'masks e-mail addresses and numbers of four digits or more; names are not recognised')
    .option('--name <sentence>', 'what the agent gets right')
    .option('--print', 'prints the file instead of writing it, and runs nothing')
    .addHelpText(
      'after',
      `
Adds to <agents>/scenarios/<agent>.yaml what the person said, what the tools answered, which tool was called with what, the
language and the end. What the agent said stands beside it as a comment. It is then run once, on the scripted model.`,
    ),
).action((session, { agents, redact: isMasked = false, name, print: isPrinted = false, ...flags }) =>
  asOperator(flags, (operator) => write(operator, session, { agents, isMasked, name, isPrinted })),
);

interface Wish {
  /** Folder of the agents. */
  agents: string;
  isMasked: boolean;
  name: string | undefined;
  isPrinted: boolean;
}

async function write(operator: Operator, session: string, { agents, isMasked, name, isPrinted }: Wish): Promise<void> {
  const { agent, versionHash, draft } = await readScenario(operator, session, { name, isMasked });
  const { text, checked } = await withScenario(agents, agent, draft);
  const { say } = operator;
  if (isPrinted) return say(text.trimEnd());
  const file = join(agents, scenarioFile(agent));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  say(`Written to the end of ${shownPath(file)}: "${draft.scenario.name}".`);
  for (const note of draft.notes) say(`Note: ${note}`);
  const version = checked.agents.find((one) => one.agent.agent === agent);
  if (version && version.hash !== versionHash)
    say('Note: the agent in this folder is another version than the one that held the conversation.');
  say(isMasked ? redactedWarning : warning);
  await tryIt(operator, checked, agent);
}

/** @throws Fault */
async function readScenario(
  { db, tenant }: Operator,
  session: string,
  wish: Pick<Wish, 'name' | 'isMasked'>,
): Promise<DraftedScenario> {
  try {
    return await db.asTenant(tenant, (tx) => scenarioOf(tx, session, wish));
  } catch (error) {
    throw error instanceof Problem ? new Fault(wordings[error.code]?.(session) ?? error.message) : error;
  }
}

const wordings: Record<string, (session: string) => string> = {
  session_not_found: (id) => `There is no session ${id} here; it may have been deleted after its retention.`,
  session_live: (id) => `The session ${id} is not over yet.`,
};

/** The scenario file as it would be, checked beside the other files. @throws Fault when it would not be valid */
async function withScenario(
  folder: string,
  agent: string,
  draft: Draft,
): Promise<{ text: string; checked: LoadResult }> {
  const { texts } = await readAgentTexts(folder);
  if (!texts.has(`${agent}.yaml`))
    throw new Fault(`There is no ${agent}.yaml in ${folder}: name its folder with --agents.`);
  const file = scenarioFile(agent);
  const text = appended(texts.get(file), draft);
  const before = checkFiles(texts, { environment: 'development' });
  const checked = checkFiles(texts.set(file, text), { environment: 'development' });
  const faultOf = (name: string) => checked.faults.find((one) => isError(one) && one.file === name);
  const fault = faultOf(file);
  if (fault) throw new Fault(`${file} would not be valid (line ${fault.line}: ${fault.message}) Nothing was written.`);
  const own = faultOf(`${agent}.yaml`);
  if (own) throw new Fault(`${agent}.yaml is not valid (line ${own.line}: ${own.message}) Nothing was written.`);
  const count = (result: LoadResult) => result.scenarios.find((one) => one.agent === agent)?.scenarios.length ?? 0;
  if (count(checked) !== count(before) + 1)
    throw new Fault(`The agent in ${folder} has faults, or ${file} is written in a way that takes nothing at its end.`);
  return { text, checked };
}

/** A first run: on a scripted model it goes as it went, or its author learns why not. */
async function tryIt({ say }: Operator, { agents, scenarios }: LoadResult, agent: string): Promise<void> {
  const definition = agents.find((version) => version.agent.agent === agent)?.agent;
  const scenario = scenarios.find((file) => file.agent === agent)?.scenarios.at(-1);
  if (!definition?.script || !scenario)
    return say('The agent has no script: try it with parley scenarios run --model declared.');
  const [report] = await runScenarioProcess(
    { settings: { model: 'scripted', live: false }, jobs: [{ definition, scenarios: [scenario] }] },
    {
      env: scenarioVariables(agentVariablesIn(process.env), process.env),
      deadlineMs: runDeadlineMs,
      signal: new AbortController().signal,
    },
  );
  if (report?.outcome === 'passed') return say('It passes on the scripted model.');
  for (const { turn, expected, got } of report?.failures ?? [])
    say(`It fails ${turn === null ? 'as a whole' : `in turn ${turn}`}: expected ${expected}; got ${got}.`);
  say('Change what is expected, or the agent, until it passes: parley scenarios run.');
}
