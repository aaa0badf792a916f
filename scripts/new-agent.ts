/** `npm run new-agent`: asks four questions and writes an agent with scenarios. Nothing that is there is overwritten. */
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { checkFiles, policiesFileName } from '../services/contract/agents/check-files.ts';
import { type Answers, type Draft, draftAgent } from './new-agent/draft.ts';
import { Fault } from './toolchain/fault.ts';
import { agentsFolder, shownPath } from './toolchain/given-path.ts';
import { readArguments, runScript } from './toolchain/script.ts';

const usage = `Usage: npm run new-agent -- [--name text] [--purpose text] [--languages en,de] [--tools end_call] [--folder agents]

Writes <folder>/<agent>.yaml and <folder>/scenarios/<agent>.yaml, valid and with a script that needs no model. What is not
given is asked on a terminal; without one, --name and --purpose must be given, and the others have their defaults.

  --name       what people see; the agent's id is made from it
  --purpose    what the agent is for, in a sentence or two
  --languages  codes, the first is the default. Default: en
  --tools      names of files in <folder>/tools, or end_call, so that it ends conversations itself. Default: end_call
               ("none" for none)
  --folder     the folder of the agents. Default: agents`;

const readWords = (args: string[]) =>
  readArguments({
    args,
    options: {
      name: { type: 'string' },
      purpose: { type: 'string' },
      languages: { type: 'string' },
      tools: { type: 'string' },
      folder: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  }).values;

type Given = ReturnType<typeof readWords>;

async function newAgent(given: Given): Promise<void> {
  const folder = agentsFolder(given.folder);
  const draft = draftAgent(await answers(given), await schemasFrom(folder));
  const files = { [`${draft.id}.yaml`]: draft.agent, [`scenarios/${draft.id}.yaml`]: draft.scenarios };
  if (draft.id === '') throw new Fault('The name needs a letter or a digit: the id of the agent is made from it.');
  if (`${draft.id}.yaml` === policiesFileName) throw new Fault(`${policiesFileName} is no agent; choose another name.`);
  for (const file of Object.keys(files)) {
    if (await isThere(join(folder, file)))
      throw new Fault(`${shownPath(join(folder, file))} is there already; nothing was written.`);
  }
  refuseFaults(draft, files, await toolTexts(folder));
  await mkdir(join(folder, 'scenarios'), { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text, { flag: 'wx' });
  console.log(
    `Written: ${Object.keys(files)
      .map((file) => shownPath(join(folder, file)))
      .join(' and ')}.`,
  );
  console.log('Next: write its prompt, then npm run validate and npm run scenarios. npm start makes it live.');
}

async function answers(values: Given): Promise<Answers> {
  const terminal = process.stdin.isTTY ? openTerminal() : undefined;
  try {
    return {
      name: await answer(terminal, { given: values.name, flag: 'name', question: 'What is its name? ' }),
      purpose: await answer(terminal, { given: values.purpose, flag: 'purpose', question: 'What is it for? ' }),
      languages: listOf(
        await answer(terminal, { given: values.languages, question: 'Which languages? [en] ', otherwise: 'en' }),
      ).map(languageCode),
      tools: listOf(
        await answer(terminal, {
          given: values.tools,
          question: 'Which tools may it use? end_call: it ends conversations itself; "none" for none. [end_call] ',
          otherwise: 'end_call',
        }),
      ).filter((tool) => tool !== 'none'),
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

interface Question {
  given: string | undefined;
  question: string;
  /** The answer to an empty line; without it there must be one. */
  otherwise?: string;
  flag?: string;
}

async function answer(terminal: Terminal | undefined, { given, question, otherwise, flag }: Question): Promise<string> {
  if (given !== undefined && given.trim() !== '') return given;
  if (terminal) {
    const said = (await terminal.ask(question)).trim();
    if (said !== '') return said;
    if (otherwise === undefined) return answer(terminal, { given, question });
  }
  if (otherwise === undefined) throw new Fault(`Say --${flag}: there is no terminal to ask on.`);
  return otherwise;
}

const listOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))];

function languageCode(code: string): string {
  try {
    return Intl.getCanonicalLocales(code)[0] ?? code;
  } catch {
    throw new Fault(`"${code}" is no language code; write codes such as en, de or pt-BR.`);
  }
}

/** The way from the folder to the schemas, for the comment that editors read. */
async function schemasFrom(folder: string): Promise<string> {
  const schemas = fileURLToPath(new URL('../schemas', import.meta.url));
  return relative(folder, schemas).split(sep).join('/');
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function toolTexts(folder: string): Promise<[string, string][]> {
  const names = await readdir(join(folder, 'tools')).catch(() => []);
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

await runScript(async (args) => {
  const given = readWords(args);
  if (given.help) console.log(usage);
  else await newAgent(given);
});
