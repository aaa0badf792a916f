import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { settings } from '../../../services/settings/settings.ts';
import { withSecretFiles } from '../../../services/settings/take.ts';
import { Fault } from '../../toolchain/fault.ts';
import { dataFolder } from '../../toolchain/given-path.ts';
import { readStack } from '../stack.ts';
import { where } from '../target.ts';
import type { Patient } from './checks/examine.ts';

const { agentKey, databaseUrl: database, dataFolder: dataSetting } = settings;

export const command = new Command()
  .description('Tries what a customer would do, and says what to do about what is wrong')
  .option('--key <pk_…>', `an agent's key, for a conversation (${agentKey.name}); without one it is left out`)
  .optionsGroup('Where:')
  .addOption(where.stack())
  .addOption(where.url())
  .addOption(where.databaseUrl())
  .addOption(where.data())
  .addHelpText(
    'after',
    `
Without an address it looks at what "npm start" started here. Everything that is wrong is told with what to do about it;
the exit status is 1 when anything failed.`,
  )
  .action(async (flags) => {
    // The room's client takes its time to load, which the general help need not wait for.
    const { examine } = await import('./checks/examine.ts');
    await examine(await findPatient(flags));
  });

interface Flags {
  stack?: string | undefined;
  url?: string | undefined;
  key?: string | undefined;
  databaseUrl?: string | undefined;
  data?: string | undefined;
}

const ofNoStack = { backups: undefined, namespace: undefined, phone: undefined };

async function findPatient(flags: Flags): Promise<Patient> {
  const own = withSecretFiles(process.env);
  const key = flags.key ?? own[agentKey.name];
  const databaseUrl = flags.databaseUrl ?? own[database.name];
  if (flags.stack !== undefined) {
    const { url, credentials, backups, namespace, phone } = await readStack(flags.stack);
    return { url, key, databaseUrl, backups, namespace, phone, hint: `give --key; "${credentials}" prints one.` };
  }
  if (flags.url !== undefined) {
    return { url: flags.url, key, databaseUrl, ...ofNoStack, hint: 'give --key.' };
  }
  return {
    ...(await localStart(flags.data, { key, databaseUrl })),
    ...ofNoStack,
    hint: 'no agent is live.',
  };
}

/** What `npm start` wrote down of itself. */
async function localStart(data: string | undefined, { key, databaseUrl }: Pick<Patient, 'key' | 'databaseUrl'>) {
  const folder = dataFolder(data ?? process.env[dataSetting.name]);
  const file = join(folder, 'connection.json');
  if (!existsSync(file)) throw new Fault(`Nothing was started here (${file} does not exist): give --stack or --url.`);
  const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as unknown;
  const told = (await read(file)) as { baseUrl: string; agents: Record<string, { apiKey: string; disabled?: true }> };
  const variables = (await read(join(folder, 'environment.json'))) as Record<string, string | undefined>;
  const agent = Object.values(told.agents).find(({ disabled }) => !disabled);
  return {
    url: told.baseUrl,
    key: key ?? agent?.apiKey,
    databaseUrl: databaseUrl ?? variables[database.name],
  };
}
