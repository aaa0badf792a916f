import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, openCacheFolder } from './cache.ts';
import { Fault, storageFaultInOutput, systemCode } from './fault.ts';
import { withLock } from './lock.mjs';

const run = promisify(execFile);
const installDeadlineMs = 300_000;

/**
 * The folder of programs (`python` among them) of a virtual environment that has one package of PyPI, for example
 * `livekit==1.2.0`. It is installed into the cache unless it is there. Throws a Fault that says what to do when it can't be.
 */
export async function pythonWith(requirement: string, progress: (line: string) => void = () => {}): Promise<string> {
  const folder = join(cacheFolder(), `python-${requirement.replace('==', '-').replace(/[[\]]/g, '_')}`);
  const bin = join(folder, 'bin');
  // A mark, because a virtual environment can't be made elsewhere and moved here.
  const mark = join(folder, 'complete');
  if (existsSync(mark)) return bin;
  await openCacheFolder(cacheFolder());
  const waiting = (pid: number) => progress(`Process ${pid} is installing ${requirement}; waiting for it.`);
  const install = async () => {
    if (existsSync(mark)) return;
    progress(`Installing ${requirement} from PyPI, once …`);
    await rm(folder, { recursive: true, force: true });
    await attempt('python3', ['-m', 'venv', folder], requirement);
    // Versions are pinned and were tried; some ask for a newer Python than they need.
    const flags = ['--quiet', '--disable-pip-version-check', '--ignore-requires-python'];
    await attempt(join(bin, 'python'), ['-m', 'pip', 'install', ...flags, requirement], requirement);
    await writeFile(mark, '');
  };
  await withLock(`${folder}.lock`, install, waiting);
  return bin;
}

async function attempt(file: string, args: readonly string[], name: string): Promise<void> {
  try {
    await run(file, [...args], { timeout: installDeadlineMs });
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw new Fault(`${name} needs Python 3: install it and start again.`);
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw faultOf(`${stdout}\n${stderr}`, name);
  }
}

function faultOf(output: string, name: string): Fault {
  const storage = storageFaultInOutput(output, 'the cache folder (PARLEY_CACHE_DIR)');
  if (storage) return storage;
  if (/ensurepip|No module named (?:venv|pip)/.test(output)) {
    return new Fault(`${name} needs Python's venv: install it (Debian: apt-get install python3-venv) and start again.`);
  }
  if (/NewConnectionError|Failed to establish|Name or service not known|Could not fetch URL|ProxyError/.test(output)) {
    return new Fault(
      `PyPI can't be reached for ${name}: connect to the internet, or set pip's index, and start again.`,
    );
  }
  return new Fault(`${name} could not be installed: ${output.trim().split('\n').at(-1)}`);
}
