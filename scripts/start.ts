/** `npm start`: everything on this machine, from an empty folder to a conversation, until Ctrl-C. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { bestEffort } from '../services/process/best-effort.ts';
import { settings } from '../services/settings/settings.ts';
import { requireFreePorts } from './start/check-ports.ts';
import { followAgents, writeConnection } from './start/connection.ts';
import { followDiskSpace } from './start/disk-space.ts';
import { openFolders, requireAgentsFolder } from './start/folders.ts';
import { launchAll } from './start/launcher.ts';
import { endLeftovers } from './start/leftovers.ts';
import { helpText, readOptions, type StartOptions } from './start/options.ts';
import { Parts } from './start/parts.ts';
import { followRefusals } from './start/refusals.ts';
import { keepSecrets } from './start/secrets.ts';
import { onStopSignals } from './start/stopping.ts';
import { summary } from './start/summary.ts';
import { followUnreadable } from './start/unreadable.ts';
import { followLive } from './start/went-live.ts';
import { Fault, storageFault } from './toolchain/fault.ts';
import { tryLock } from './toolchain/lock.mjs';
import { say } from './toolchain/say.ts';
import { runScript } from './toolchain/script.ts';

async function main(args: readonly string[]): Promise<void> {
  const dotEnv = join(import.meta.dirname, '../.env');
  if (existsSync(dotEnv)) process.loadEnvFile(dotEnv);
  const options = readOptions(args, process.env);
  if (options === 'help') say(helpText());
  else await start(options);
}

async function start(options: StartOptions): Promise<void> {
  const startedAt = Date.now();
  if (options.agentsFolder) await requireAgentsFolder(options.agentsFolder);
  const folders = await openFolders(options.dataFolder);
  const lock = await lockFolder(folders.data);
  const parts = new Parts();
  const stopping = new AbortController();
  const stopped = Promise.withResolvers<void>();
  onStopSignals(
    () => {
      say('Stopping …');
      stopping.abort();
      stopped.resolve();
    },
    () => void parts.kill().finally(() => process.exit(130)),
  );
  try {
    if (await endLeftovers(folders.run, folders.postgres)) say('Ended what a former start had left running.');
    const secrets = await keepSecrets(folders.data);
    await requireFreePorts(options);
    const launched = await orStopped(
      launchAll({ options, folders, secrets, parts, signal: stopping.signal, say }),
      stopped.promise,
    );
    if (launched) {
      await writeConnection(folders.data, launched);
      say(summary(launched, folders.data, (Date.now() - startedAt) / 1000));
      const following = { signal: stopping.signal, say };
      void followAgents({ ...following, dataFolder: folders.data }, launched);
      void followRefusals({ ...following, agentsFolder: options.agentsFolder }, launched.source);
      void followUnreadable(following, launched.source);
      void followDiskSpace({ ...following, dataFolder: folders.data });
      void followLive({ ...following, agentsFolder: options.agentsFolder }, launched.source);
    }
    await stopped.promise;
  } finally {
    stopping.abort();
    await parts.stop();
    await lock.release();
  }
  say('Stopped.');
}

/** The outcome of `work`, or nothing when the stop came first; what fails after that fails because of it. */
async function orStopped<T>(work: Promise<T>, stopped: Promise<void>): Promise<T | undefined> {
  void bestEffort('what fails after the stop fails because of it', work);
  return Promise.race([work, stopped.then(() => undefined)]);
}

async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  const lock = await tryLock(join(folder, 'start.lock')).catch((error) => {
    throw storageFault(error, `The data folder ${folder} (--data or ${settings.dataFolder.name})`);
  });
  if ('release' in lock) return lock;
  throw new Fault(
    `Parley already runs here (process ${lock.holder}): stop it with Ctrl-C, or use another --data folder and ports.`,
  );
}

await runScript(main);
// What a start that failed half-way left open must not keep it.
process.exit();
