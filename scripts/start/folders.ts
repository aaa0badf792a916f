import { access, constants, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { settings } from '../../services/settings/settings.ts';
import { Fault, storageFault } from '../toolchain/fault.ts';
import { makeFolder } from '../toolchain/make-folder.ts';
import { LogFile } from './log-file.ts';

/** Where a start keeps what it needs again, all under the data folder. */
export interface Folders {
  data: string;
  logs: string;
  /** Which processes run: see leftovers.ts. */
  run: string;
  postgres: string;
}

/** Makes the folders. Throws a Fault that names --data when the place can't be written. */
export async function openFolders(data: string): Promise<Folders> {
  const folders = { data, logs: join(data, 'logs'), run: join(data, 'run'), postgres: join(data, 'postgres') };
  try {
    for (const folder of [data, folders.logs, folders.run]) {
      await makeFolder(folder, 0o700);
      await access(folder, constants.W_OK);
    }
  } catch (error) {
    throw storageFault(error, `The data folder ${data} (--data or ${settings.dataFolder.name})`);
  }
  return folders;
}

export const logOf = ({ folders }: { folders: Folders }, name: string) =>
  new LogFile(join(folders.logs, `${name}.log`));

/** Where a process that runs is written down. */
export const recordOf = ({ folders }: { folders: Folders }, name: string) => join(folders.run, `${name}.json`);

/** Throws a Fault that names --agents when the agents' folder can't be read. */
export async function requireAgentsFolder(agents: string): Promise<void> {
  await readdir(agents).catch((error) => {
    throw new Fault(
      `There is no folder of agents to read at ${agents} (--agents or ${settings.agentsFolder.name}): make it, or choose another one.`,
      { cause: error },
    );
  });
}
