import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { hashPrefix } from '../../../services/core/sessions/ids.ts';
import { bestEffort } from '../../../services/process/best-effort.ts';
import { settings } from '../../../services/settings/settings.ts';
import { dataFolder } from '../../toolchain/given-path.ts';
import { say } from '../../toolchain/say.ts';
import { where } from '../target.ts';

const { dataFolder: folder } = settings;

export const command = new Command()
  .description('Prints what the processes of the local start logged about a session')
  .argument('<session>', 'its id')
  .addOption(where.data())
  .addHelpText(
    'after',
    `
Logs never hold a session's id but the beginning of its hash, which is printed first. Look for that in the logs of a cluster.`,
  )
  .action(async (session, { data }) => {
    const name = hashPrefix(session);
    say(`In logs this session is ${name}.`);
    for (const line of await linesAbout(name, join(dataFolder(data ?? process.env[folder.name]), 'logs'))) say(line);
  });

/** Of all processes, in the order of time. */
async function linesAbout(name: string, folder: string): Promise<string[]> {
  const files = (await bestEffort('where nothing was started there are no logs', readdir(folder))) ?? [];
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.includes(`"session":"${name}"`));
  return lines.sort((one, other) => timeOf(one).localeCompare(timeOf(other)));
}

const timeOf = (line: string): string => /"time":"([^"]*)"/.exec(line)?.[1] ?? '';
