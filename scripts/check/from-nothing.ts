import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bestEffort } from '../../services/process/best-effort.ts';
import { within } from '../../services/process/within.ts';
import { Fault } from '../toolchain/fault.ts';
import { freeTcpPort, freeUdpPort } from '../toolchain/ports.ts';
import { exitedWithin, hasExited } from '../toolchain/processes.ts';
import { emptyEnvironment } from './empty-environment.ts';

const run = promisify(execFile);
const minute = 60_000;
/** A first start builds the room server: 2 minutes on two cores of their own. */
const startWithinMs = 20 * minute;
const conversationWithinMs = 3 * minute;
const stopWithinMs = minute;
/** Nothing cached, the whole took 52 minutes on two cores beside other work, 21 of them the toolchains. */
const testsWithinMs = 75 * minute;

export type Part = 'start' | 'test';

export interface FromNothing {
  /** The checkout whose last commit is tried. */
  root: string;
  parts: readonly Part[];
  /** For `npm test`; none means every test. */
  tests: readonly string[];
  say(line: string): void;
}

/**
 * Does what README's "Two commands" says, in a fresh clone with an empty HOME and no cache, and removes it all again: starts,
 * holds a first conversation, stops, and runs the tests. Throws a Fault that says which step failed.
 */
export async function runFromNothing({ root, parts, tests, say }: FromNothing): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-from-nothing-'));
  try {
    const clone = join(folder, 'parley');
    await run('git', ['clone', '--quiet', root, clone]);
    const { stdout: commit } = await run('git', ['log', '-1', '--format=%h %s'], { cwd: clone });
    say(`In a fresh clone of ${commit.trim()} (what is not committed is not in it), with an empty HOME and no cache:`);
    const env = await emptyEnvironment(join(folder, 'home'), root);
    if (parts.includes('start')) await startAndConverse({ clone, env, say });
    if (parts.includes('test')) await runTests({ clone, env, say }, tests);
  } finally {
    await removeAll(folder);
  }
}

interface Clone {
  clone: string;
  env: NodeJS.ProcessEnv;
  say(line: string): void;
}

async function startAndConverse(clone: Clone): Promise<void> {
  const start = npm(clone, ['start', '--', ...(await ports())]);
  try {
    await within(startWithinMs, 'npm start', start.says('Parley is ready'));
    const file = await readFile(join(clone.clone, '.parley', 'connection.json'), 'utf8');
    const { baseUrl, agents } = JSON.parse(file) as { baseUrl: string; agents: Record<string, { apiKey: string }> };
    const doctor = npm(clone, [
      'run',
      'parley',
      '--',
      'doctor',
      '--url',
      baseUrl,
      '--key',
      agents.restaurant?.apiKey ?? '',
    ]);
    await ended(doctor, 'the first conversation', conversationWithinMs);
    const stopped = start.says('Stopped.');
    interrupt(start.child);
    await within(stopWithinMs, 'Ctrl-C', stopped);
  } finally {
    await end(start.child);
  }
}

const runTests = (clone: Clone, tests: readonly string[]): Promise<void> =>
  ended(npm(clone, ['test', ...(tests.length > 0 ? ['--', ...tests] : [])]), 'npm test', testsWithinMs);

/** Ports of its own, so that whatever runs here already goes on. */
async function ports(): Promise<string[]> {
  const flags = ['--port', '--demo-tools-port', '--postgres-port', '--room-port'];
  const tcp = await Promise.all(flags.map(async (flag) => [flag, String(await freeTcpPort())]));
  // Those after it are used too; below the range that freeTcpPort takes from.
  const internal = 10_000 + Math.floor(Math.random() * 400) * 4;
  return [...tcp.flat(), '--internal-port', String(internal), '--room-udp-port', String(await freeUdpPort())];
}

interface Command {
  child: ChildProcess;
  /** Resolves when it has said this; rejects when it ends before. */
  says(words: string): Promise<void>;
}

/** What it says is shown. */
function npm({ clone, env, say }: Clone, args: readonly string[]): Command {
  say(`> npm ${args.join(' ')}`);
  // Leads a group, as a terminal's command does, so that all it started can be ended.
  const child = spawn('npm', args, { cwd: clone, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      output = (output + chunk).slice(-10_000);
    });
  return {
    child,
    says: (words) =>
      new Promise((resolve, reject) => {
        const look = () => (output.includes(words) ? resolve() : undefined);
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look);
        child.on('error', reject);
        child.on('close', () => reject(new Fault(`npm ${args[0]} ended before it said "${words}".`)));
        look();
      }),
  };
}

async function ended({ child }: Command, what: string, withinMs: number): Promise<void> {
  try {
    const [code] = (await within(withinMs, what, once(child, 'close'))) as [number | null];
    if (code !== 0) throw new Fault(`${what} failed (exit status ${code}).`);
  } finally {
    await end(child);
  }
}

const interrupt = (child: ChildProcess): void => signalGroup(child, 'SIGINT');

function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** With everything that it started. */
async function end(child: ChildProcess): Promise<void> {
  if (!hasExited(child)) {
    interrupt(child);
    await exitedWithin(child, stopWithinMs);
  }
  signalGroup(child, 'SIGKILL');
}

async function removeAll(folder: string): Promise<void> {
  // Go makes its module cache read-only.
  await bestEffort('what is left is removed below', run('chmod', ['-R', 'u+w', folder]));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
