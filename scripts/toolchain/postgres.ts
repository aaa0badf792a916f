import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chown, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bestEffort } from '../../services/process/best-effort.ts';
import { Fault, littleSpaceFault, storageFault, storageFaultInOutput } from './fault.ts';
import { type PostgresBinaries, postgresBinaries } from './postgres-binaries.ts';
import { childrenOf, commandOf, endedWithin, exitedWithin, hasExited, processesIn, signal } from './processes.ts';
import { type Account, launch, ownerAccount, serverAccount } from './unprivileged.ts';

const majorVersion = '18';
const fastShutdownMs = 8_000;
/** A standby says it of read-only ones. */
const readyMessage = /database system is ready to accept (read-only )?connections/;
const outputKeptForErrors = 8_000;

/** One server process on loopback. */
export interface PostgresServer {
  pid: number;
  /** Of the superuser `postgres`, database `postgres`. */
  adminUrl: string;
  /** Settles when connections are accepted; rejects with a Fault that says what to do when the server does not come up. */
  ready: Promise<void>;
  exited: Promise<void>;
  /** Disconnects everybody and shuts down cleanly; a server that does not obey within the deadline (8 s) is killed. */
  stop(deadlineMs?: number): Promise<void>;
  /** A crash: every process of the server dies at once. */
  kill(): Promise<void>;
  /** Freezes every process of the server; connections stay open and get no answer. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export interface PostgresOptions {
  folder: string;
  port: number;
  password: string;
  /** Server settings beyond ours, by name. */
  settings?: Record<string, string>;
  /** The server shuts down when this process dies, even by SIGKILL (Linux). */
  endsWithUs?: boolean;
  onOutput?: (chunk: Buffer) => void;
}

/** Starts PostgreSQL on a folder that `createCluster` filled. A stale postmaster.pid is PostgreSQL's own business. */
export async function startServer(options: PostgresOptions): Promise<PostgresServer> {
  const { folder, port, password, onOutput } = options;
  const [{ postgres }, account] = await Promise.all([postgresBinaries(), ownerAccount(folder)]);
  const whenWeDie = options.endsWithUs ? 'QUIT' : undefined;
  const program = await launch(postgres, ['-D', folder, ...settingArguments(options)], { account, whenWeDie });
  const child = spawn(program.file, program.args, {
    ...program.options,
    env: plainLocale(),
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C in a terminal goes to the whole process group, and SIGINT would stop the server before its users.
    detached: true,
  });
  if (onOutput) for (const stream of [child.stdout, child.stderr]) stream.on('data', onOutput);
  const exited = once(child, 'exit').then(() => undefined);
  const ready = readyOrFault(child, folder);
  void bestEffort('whoever waits for it hears of it', ready);
  return {
    pid: child.pid ?? 0,
    adminUrl: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
    ready,
    exited,
    stop: (deadlineMs = fastShutdownMs) => stopServer(child, folder, deadlineMs),
    kill: () => killServer(child, folder),
    pause: () => signalAll(child, 'SIGSTOP'),
    resume: () => signalAll(child, 'SIGCONT'),
  };
}

function settingArguments({ port, settings }: PostgresOptions): string[] {
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    lc_messages: 'C',
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** PostgreSQL's messages in English, which `readyMessage` and the faults are matched against. */
const plainLocale = (): NodeJS.ProcessEnv => ({ ...process.env, LC_ALL: 'C', LC_MESSAGES: 'C' });

async function readyOrFault(child: ChildProcess, folder: string): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(startFault(output, folder)));
    child.stderr?.on('data', function watch(chunk: Buffer) {
      output = (output + chunk).slice(-outputKeptForErrors);
      if (!readyMessage.test(output)) return;
      child.stderr?.off('data', watch).resume();
      resolve();
    });
  });
}

function startFault(output: string, folder: string): Fault {
  const port = /could not bind IPv4 address .*port (\d+)|TCP port (\d+) is already in use/.exec(output);
  if (/could not bind|already in use/.test(output)) {
    return new Fault(
      `PostgreSQL's port ${port?.[1] ?? port?.[2] ?? ''} is taken: stop what uses it, or choose another.`,
    );
  }
  const lastLines = output.trim().split('\n').slice(-3).join(' ');
  return storageFaultInOutput(output, folder) ?? new Fault(`PostgreSQL did not start on ${folder}: ${lastLines}`);
}

async function stopServer(child: ChildProcess, folder: string, deadlineMs: number): Promise<void> {
  child.kill('SIGCONT');
  child.kill('SIGINT');
  if (!(await exitedWithin(child, deadlineMs))) await killServer(child, folder);
}

async function killServer(child: ChildProcess, folder: string): Promise<void> {
  if (child.pid === undefined || hasExited(child)) return;
  // Stopped first, so that it starts no further process while we list them.
  signal(child.pid, 'SIGSTOP');
  const children = await childrenOf(child.pid);
  for (const pid of [child.pid, ...children]) signal(pid, 'SIGKILL');
  await exitedWithin(child, 5_000);
  await Promise.all([...children, ...(await serversIn(folder))].map((pid) => endedWithin(pid, 5_000)));
}

async function signalAll(server: ChildProcess, name: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  if (server.pid === undefined || hasExited(server)) return;
  signal(server.pid, name);
  for (const pid of await childrenOf(server.pid)) signal(pid, name);
}

/** PostgreSQL's processes work in their data folder: that tells a left-over server from whoever got its pid since. */
async function serversIn(folder: string): Promise<number[]> {
  const real = await realpath(folder).catch(() => folder);
  const postmaster = Number.parseInt(await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => ''), 10);
  const isOurs = postmaster > 0 && (await commandOf(postmaster)).includes(`-D ${folder} `);
  return [...new Set([...(isOurs ? [postmaster] : []), ...(await processesIn(real))])];
}

/** Ends a server that a former start, killed in the meantime, left running on this folder. Tells whether there was one. */
export async function endLeftoverServer(folder: string): Promise<boolean> {
  const [postmaster, ...others] = await serversIn(folder);
  if (postmaster === undefined) return false;
  for (const pid of [postmaster, ...others]) signal(pid, 'SIGCONT');
  signal(postmaster, 'SIGINT');
  if (!(await endedWithin(postmaster, fastShutdownMs))) signal(postmaster, 'SIGKILL');
  const remaining = await serversIn(folder);
  for (const pid of remaining) signal(pid, 'SIGKILL');
  await Promise.all(remaining.map((pid) => endedWithin(pid, 5_000)));
  return true;
}

/**
 * Makes a database cluster in `folder` unless there is one. An interrupted attempt leaves nothing in `folder`. Throws a Fault
 * when there is one of another PostgreSQL.
 */
export async function createCluster(folder: string, password: string): Promise<void> {
  const version = await bestEffort('there may be none yet', readFile(join(folder, 'PG_VERSION'), 'utf8'));
  if (version?.trim() === majorVersion) return;
  if (version !== undefined) {
    throw new Fault(
      `${folder} is of PostgreSQL ${version.trim()}, this is ${majorVersion}: move it away to start afresh.`,
    );
  }
  const [binaries, account] = await Promise.all([postgresBinaries(), serverAccount()]);
  const draft = `${folder}.new`;
  try {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true, mode: 0o700 });
    if (account) await chown(draft, account.uid, account.gid);
    await initialise({ binaries, account, folder: draft, password });
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw storageFault(error, folder);
  }
}

interface Initialisation {
  binaries: PostgresBinaries;
  account: Account | undefined;
  folder: string;
  password: string;
}

async function initialise({ binaries, account, folder, password }: Initialisation): Promise<void> {
  const passwordFile = join(tmpdir(), `parley-${randomUUID()}`);
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (account) await chown(passwordFile, account.uid, account.gid);
    const args = [...initdbArguments, `--pgdata=${folder}`, `--pwfile=${passwordFile}`];
    const program = await launch(binaries.initdb, args, { account });
    await runToEnd(spawn(program.file, program.args, { ...program.options, env: plainLocale() }), folder);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** The built-in locale sorts alike on every machine. */
const initdbArguments = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
];

async function runToEnd(child: ChildProcess, folder: string): Promise<void> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-outputKeptForErrors);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  const reason = output.trim().split('\n').slice(-3).join(' ');
  // initdb has taken away what it wrote, so the disk looks less full than it was.
  const storage = storageFaultInOutput(output, folder) ?? (await littleSpaceFault(dirname(folder)));
  throw storage ?? new Fault(`PostgreSQL could not set up ${folder}: ${reason}`);
}

/** Names a cluster template in the cache: another version or another set-up is another template. */
export async function templateName(): Promise<string> {
  return `postgres-${majorVersion}-template-${(await postgresBinaries()).version}-${process.getuid?.() === 0 ? 'root' : 'user'}`;
}
