import { execFile } from 'node:child_process';
import { access, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, openCacheFolder } from '../../scripts/toolchain/cache.ts';
import { withLock } from '../../scripts/toolchain/lock.mjs';

const run = promisify(execFile);
const client = 'livekit==1.2.0';
const script = join(import.meta.dirname, 'python', 'speak_at_once.py');

/** A Python of the tests' own that has PyPI's `livekit`: a room client that neither we nor our libraries wrote. */
async function pythonWithClient(): Promise<string> {
  const folder = join(cacheFolder(), `python-${client.replace('==', '-')}`);
  const python = join(folder, 'bin', 'python');
  await openCacheFolder(cacheFolder());
  await withLock(`${folder}.lock`, async () => {
    if (await isThere(join(folder, 'complete'))) return;
    await rm(folder, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', folder]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', client]);
    // A mark, because a virtual environment can't be made elsewhere and moved here.
    await writeFile(join(folder, 'complete'), '');
  });
  return python;
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

export interface PythonClient {
  /** Joins, sends the texts in the instant it has joined, and gives the first `replies` replies. */
  speakAtOnce(session: { wsUrl: string; token: string }, texts: readonly string[], replies: number): Promise<string[]>;
}

/** Installs the client into the cache unless it is there. */
export async function openPythonClient(): Promise<PythonClient> {
  const python = await pythonWithClient();
  return {
    async speakAtOnce({ wsUrl, token }, texts, replies) {
      const { stdout } = await run(python, [script, wsUrl, token, String(replies), ...texts], { timeout: 90_000 });
      const lines = stdout.trim().split('\n');
      return lines.map((line) => (JSON.parse(line) as { reply: string }).reply);
    },
  };
}
