import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { Fault } from '../toolchain/fault.ts';
import { dataFolder } from '../toolchain/given-path.ts';

/** Where an operator's command works: flags first, then variables, then what `npm start` left for us. */
export interface Target {
  databaseUrl: string;
  /** Undefined where nobody gave any; only commands that open credentials need them. */
  masterKeys: string | undefined;
  /** Slug of the tenant. */
  tenant: string;
  /** Of a local start, or said so by PARLEY_ENVIRONMENT: webhooks may point to this machine. */
  isDevelopment: boolean;
  /** Variables that agents' files may refer to. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface TargetFlags {
  databaseUrl?: string | undefined;
  tenant?: string | undefined;
  data?: string | undefined;
}

/** The command with the options that say where it works; they come after its own. */
export const onTarget = <Words extends unknown[], Options extends OptionValues>(command: Command<Words, Options>) =>
  command
    .optionsGroup('Where:')
    .option(
      '--database-url <url>',
      'database of an installation (PARLEY_DATABASE_URL; with PARLEY_MASTER_KEYS beside it). Without it: the local start',
    )
    .option('--tenant <slug>', 'tenant in it (PARLEY_TENANT; default: local)')
    .option('--data <folder>', 'folder of the local start (PARLEY_DATA_DIR; default: .parley)');

/** @throws Fault when there is neither an address nor a local start. */
export async function findTarget(flags: TargetFlags, env: NodeJS.ProcessEnv): Promise<Target> {
  const given = flags.databaseUrl ?? env.PARLEY_DATABASE_URL;
  const local = given ? {} : await readLocalStart(flags.data ?? env.PARLEY_DATA_DIR);
  const all = { ...env, ...local };
  return {
    databaseUrl: given ?? all.PARLEY_DATABASE_URL ?? '',
    masterKeys: all.PARLEY_MASTER_KEYS,
    tenant: flags.tenant ?? env.PARLEY_TENANT ?? all.PARLEY_TENANT ?? 'local',
    isDevelopment: all.PARLEY_ENVIRONMENT === 'development',
    env: all,
  };
}

/** The variables that `npm start` gives to its services. */
async function readLocalStart(folder: string | undefined): Promise<Record<string, string>> {
  const file = join(dataFolder(folder), 'environment.json');
  if (!existsSync(file)) {
    throw new Fault(
      `Nothing was started here (${file} does not exist): run "npm start", or give --database-url or PARLEY_DATABASE_URL.`,
    );
  }
  const variables = JSON.parse(await readFile(file, 'utf8').catch(() => '{}')) as Record<string, string>;
  if (!variables.PARLEY_DATABASE_URL || !variables.PARLEY_MASTER_KEYS)
    throw new Fault(`${file} does not hold what it should: start again with "npm start", which writes it.`);
  return variables;
}
