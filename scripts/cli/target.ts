import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { type AgentVariables, agentVariablesIn } from '../../services/agent-files/definition/agent-variables.ts';
import type { Variables } from '../../services/process/variables.ts';
import { settings } from '../../services/settings/settings.ts';
import { withSecretFiles } from '../../services/settings/take.ts';
import { Fault } from '../toolchain/fault.ts';
import { dataFolder } from '../toolchain/given-path.ts';

/** Where an operator's command works: flags first, then variables, then what `npm start` left for us. */
export interface Target {
  databaseUrl: string;
  /** Undefined where nobody gave any; only commands that open credentials need them. */
  masterKeys: string | undefined;
  /** Undefined where nobody gave any; only commands about persons need them. */
  peopleKeys: string | undefined;
  /** Where people reach it; undefined where nobody said. */
  publicUrl: string | undefined;
  /** Slug of the tenant. */
  tenant: string;
  /** Of a local start, or said so by PARLEY_ENVIRONMENT: webhooks may point to this machine. */
  isDevelopment: boolean;
  /** What agents' files refer to. */
  forAgents: AgentVariables;
}

export interface TargetFlags {
  /** The command runs in a pod of this stack (in-stack.ts). */
  stack?: string | undefined;
  /** Of commands that want an address; a stack tells its own. */
  url?: string | undefined;
  databaseUrl?: string | undefined;
  tenant?: string | undefined;
  data?: string | undefined;
}

const { databaseUrl, masterKeys, peopleKeys, publicUrl, tenant, dataFolder: data, environment } = settings;

/** The options by which every command is told where it works, each spelled once. */
export const where = {
  stack: () =>
    new Option(
      '--stack <name>',
      'stack of an installation: asks Pulumi and the cluster, to which both must be logged in',
    ),
  databaseUrl: () =>
    new Option(
      '--database-url <url>',
      `database of an installation (${databaseUrl.name}; with ${masterKeys.name} beside it). Without it: the local start`,
    ),
  data: () =>
    new Option('--data <folder>', `folder of the local start (${data.name}; default: ${data.readBy.commands})`),
  url: () =>
    new Option('--url <url>', 'where the installation is reached, as the output url of its stack says').argParser(
      addressOf,
    ),
};

/** Without a slash at its end. @throws Fault when it is none */
function addressOf(given: string): string {
  if (!/^https?:\/\/[^/]/.test(given) || !URL.canParse(given))
    throw new Fault(`--url is "${given}": give an address such as https://acme.example.com.`);
  return given.replace(/\/+$/, '');
}

/** The command with the options that say where it works; they come after its own. */
export const onTarget = <Words extends unknown[], Options extends OptionValues>(command: Command<Words, Options>) =>
  onDatabase(command.optionsGroup('Where:').addOption(where.stack().conflicts(['databaseUrl', 'data'])));

/** As `onTarget`, for a command that also writes to this machine: it works here, on a database that is reached from here. */
export const onDatabase = <Words extends unknown[], Options extends OptionValues>(command: Command<Words, Options>) =>
  command
    .optionsGroup('Where:')
    .addOption(where.databaseUrl())
    .option('--tenant <slug>', `tenant in it (${tenant.name}; default: ${tenant.readBy.commands})`)
    .addOption(where.data());

/** @throws Fault when there is neither an address nor a local start. */
export async function findTarget(flags: TargetFlags, env: NodeJS.ProcessEnv): Promise<Target> {
  const own = withSecretFiles(env);
  const given = flags.databaseUrl ?? own[databaseUrl.name];
  const local = given ? {} : await readLocalStart(flags.data ?? own[data.name]);
  const all: Variables = { ...own, ...local };
  return {
    databaseUrl: given ?? all[databaseUrl.name] ?? '',
    masterKeys: all[masterKeys.name],
    peopleKeys: all[peopleKeys.name],
    publicUrl: all[publicUrl.name],
    tenant: flags.tenant ?? own[tenant.name] ?? all[tenant.name] ?? tenant.readBy.commands,
    isDevelopment: all[environment.name] === 'development',
    forAgents: agentVariablesIn(all),
  };
}

/** The variables that `npm start` gives to its services. */
async function readLocalStart(folder: string | undefined): Promise<Record<string, string>> {
  const file = join(dataFolder(folder), 'environment.json');
  if (!existsSync(file)) {
    throw new Fault(
      `Nothing was started here (${file} does not exist): run "npm start", or give --database-url or ${databaseUrl.name}.`,
    );
  }
  const variables = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<string, string>;
  if (!variables[databaseUrl.name] || !variables[masterKeys.name])
    throw new Fault(`${file} does not hold what it should: start again with "npm start", which writes it.`);
  return variables;
}
