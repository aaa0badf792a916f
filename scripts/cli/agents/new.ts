import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { checkFiles, policiesFileName } from '../../../services/agent-files/check-files.ts';
import { bestEffort } from '../../../services/process/best-effort.ts';
import { Fault } from '../../toolchain/fault.ts';
import { shownPath } from '../../toolchain/given-path.ts';
import { say } from '../../toolchain/say.ts';
import { agentsOption } from '../agents-folder.ts';
import { type Answers, type Draft, draftAgent, idOf } from './new/draft.ts';

export const command = new Command()
  .description('Asks four questions and writes a valid agent with scenarios')
  .option('--name <text>', "what people see; the agent's id is made from it")
  .option('--purpose <text>', 'what the agent is for, in a sentence or two')
  .option('--languages <codes>', 'such as en,de; the first is the default. Default: en')
  .option(
    '--tools <names>',
    'of files in <agents>/tools, or end_call, so that it ends conversations itself; "none" for none. Default: end_call',
  )
  .addOption(agentsOption())
  .addHelpText(
    'after',
    `
Writes <agents>/<agent>.yaml and <agents>/scenarios/<agent>.yaml, valid and with a script that needs no model. What is not
given is asked on a terminal; without one, --name and --purpose must be given. Nothing that is there is overwritten.`,
  )
  .action(newAgent);

interface Given {
  name?: string | undefined;
  purpose?: string | undefined;
  languages?: string | undefined;
  tools?: string | undefined;
  /** Folder of the agents. */
  agents: string;
}

async function newAgent(given: Given): Promise<void> {
  const { agents: folder } = given;
  const draft = draftAgent(await answers(given, folder), await schemasFrom(folder));
  const [agentFile, scenarioFile] = filesOf(draft.id);
  const files = { [agentFile]: draft.agent, [scenarioFile]: draft.scenarios };
  refuseFaults(draft, files, await toolTexts(folder));
  await mkdir(join(folder, 'scenarios'), { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text, { flag: 'wx' });
  say(
    `Written: ${Object.keys(files)
      .map((file) => shownPath(join(folder, file)))
      .join(' and ')}.`,
  );
  say(
    'Next: write its prompt, then npx parley agents validate and npx parley scenarios run. npm start makes it live, or has done so if it runs.',
  );
}

/** Of an agent, in the folder of agents. */
const filesOf = (id: string) => [`${id}.yaml`, `scenarios/${id}.yaml`] as const;

async function answers(values: Given, folder: string): Promise<Answers> {
  const terminal = process.stdin.isTTY ? openTerminal() : undefined;
  try {
    return {
      name: await answer(terminal, {
        given: values.name,
        flag: 'name',
        question: 'What is its name? ',
        read: (text) => newName(text, folder),
      }),
      purpose: await answer(terminal, {
        given: values.purpose,
        flag: 'purpose',
        question: 'What is it for? ',
        read: (text) => text,
      }),
      languages: await answer(terminal, {
        given: values.languages,
        question: 'Which languages? [en] ',
        otherwise: 'en',
        read: (text) => listOf(text).map(languageCode),
      }),
      tools: await answer(terminal, {
        given: values.tools,
        question: 'Which tools may it use? end_call: it ends conversations itself; "none" for none. [end_call] ',
        otherwise: 'end_call',
        read: (text) => listOf(text).filter((tool) => tool !== 'none'),
      }),
    };
  } finally {
    terminal?.close();
  }
}

interface Terminal {
  /** @throws Fault when the terminal is closed, as by Ctrl-D or Ctrl-C */
  ask(question: string): Promise<string>;
  close(): void;
}

/** Lines that were pasted are answers to the questions that follow, so they are kept until then. */
function openTerminal(): Terminal {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const lines = terminal[Symbol.asyncIterator]();
  let isOpen = true;
  terminal.once('close', () => {
    isOpen = false;
  });
  return {
    ask: async (question) => {
      if (isOpen) {
        terminal.setPrompt(question);
        terminal.prompt();
      }
      const line = await lines.next();
      if (line.done) throw new Fault('\nNothing was written.');
      return line.value;
    },
    close: () => terminal.close(),
  };
}

interface Question<Answer> {
  given: string | undefined;
  question: string;
  /** The answer to an empty line; without it there must be one. */
  otherwise?: string;
  flag?: string;
  /** @throws Fault for what can't be an answer; on a terminal it is asked again */
  read(text: string): Answer;
}

async function answer<Answer>(
  terminal: Terminal | undefined,
  { given, question, otherwise, flag, read }: Question<Answer>,
): Promise<Answer> {
  if (given !== undefined && given.trim() !== '') return read(given);
  if (!terminal) {
    if (otherwise === undefined) throw new Fault(`Say --${flag}: there is no terminal to ask on.`);
    return read(otherwise);
  }
  for (;;) {
    const said = (await terminal.ask(question)).trim() || otherwise;
    if (said === undefined) continue;
    try {
      return read(said);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      say(error.message);
    }
  }
}

/** A name whose files are not there yet. @throws Fault */
function newName(name: string, folder: string): string {
  const id = idOf(name);
  if (id === '') throw new Fault('The name needs a letter or a digit: the id of the agent is made from it.');
  if (`${id}.yaml` === policiesFileName) throw new Fault(`${policiesFileName} is no agent; choose another name.`);
  const taken = filesOf(id).find((file) => existsSync(join(folder, file)));
  if (taken) throw new Fault(`${shownPath(join(folder, taken))} is there already; choose another name.`);
  return name;
}

const listOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))];

/** In its usual spelling. @throws Fault */
function languageCode(code: string): string {
  const usual = isWellFormed(code) ? new Intl.Locale(code) : undefined;
  if (usual && usual.language.length <= 3 && languageNames.of(usual.language) !== undefined) return usual.toString();
  throw new Fault(`"${code}" is no language code; write codes such as en, de or pt-BR.`);
}

const languageNames = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

function isWellFormed(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code).length === 1;
  } catch {
    return false;
  }
}

/** The way from the folder to the schemas, for the comment that editors read. */
async function schemasFrom(folder: string): Promise<string> {
  const schemas = fileURLToPath(new URL('../../../schemas', import.meta.url));
  return relative(folder, schemas).split(sep).join('/');
}

async function toolTexts(folder: string): Promise<[string, string][]> {
  const names = (await bestEffort('an agent may have no tools', readdir(join(folder, 'tools')))) ?? [];
  const files = names.filter((name) => name.endsWith('.yaml')).map((name) => `tools/${name}`);
  return Promise.all(
    files.map(async (file): Promise<[string, string]> => [file, await readFile(join(folder, file), 'utf8')]),
  );
}

/** Faults of other files are not this agent's. */
function refuseFaults({ id }: Draft, files: Record<string, string>, tools: readonly [string, string][]): void {
  const { faults } = checkFiles(new Map([...Object.entries(files), ...tools]), { environment: 'development' });
  const [fault] = faults.filter(({ file }) => file in files);
  if (!fault) return;
  throw new Fault(`With these answers the agent "${id}" would not be valid: ${fault.message} Nothing was written.`);
}
