import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, openCacheFolder } from '../../../scripts/toolchain/cache.ts';
import { withLock } from '../../../scripts/toolchain/lock.mjs';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { createCluster, type PostgresServer, startServer, templateName } from '../../../scripts/toolchain/postgres.ts';

const run = promisify(execFile);
const password = 'for-tests-only';

/** A key that a function does not know is an error (functions/keys_are_known.sql). */
const strictness = { 'parley.check_keys': 'on' };

/** A real PostgreSQL 18 of the test's own, on loopback, with its data in a temporary folder. */
export interface TestPostgres extends AsyncDisposable {
  /** Superuser, database `postgres`; stays the same over `kill`, `stop` and `start`. */
  readonly adminUrl: string;
  readonly port: number;
  /** Clean shutdown; the data stays. */
  stop(): Promise<void>;
  /** SIGKILL for every process of the server; the data stays as the crash left it. */
  kill(): Promise<void>;
  /** After `stop` or `kill`: again on the same data and port. */
  start(): Promise<void>;
  /** Freezes the server: connections stay open and get no answer. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends the server and deletes its data. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestPostgresOptions {
  /** Off by default: a killed server loses nothing by it, only a killed machine does. */
  fsync?: boolean;
  /** Further server settings, by name. */
  settings?: Record<string, string>;
  /** Hears what the server writes. */
  onOutput?: (chunk: Buffer) => void;
}

/** Starts PostgreSQL. It dies with the test process, whatever kills that. */
export async function startPostgres({
  fsync = false,
  settings = {},
  onOutput,
}: TestPostgresOptions = {}): Promise<TestPostgres> {
  const [folder, port] = await Promise.all([copyOfTemplate(), freeTcpPort()]);
  const durability: Record<string, string> = fsync ? {} : { fsync: 'off' };
  const open = async (): Promise<PostgresServer> => {
    const all = { ...durability, ...strictness, ...settings };
    const opened = await startServer({
      folder,
      port,
      password,
      endsWithUs: true,
      settings: all,
      ...(onOutput && { onOutput }),
    });
    await opened.ready;
    return opened;
  };
  let server = await open();
  return {
    adminUrl: server.adminUrl,
    port,
    stop: () => server.stop(),
    kill: () => server.kill(),
    start: async () => {
      server = await open();
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    [Symbol.asyncDispose]: async () => {
      await server.resume();
      await server.stop();
      await rm(dirname(folder), { recursive: true, force: true });
    },
  };
}

/** Setting up a cluster takes a second, copying one a tenth of it. */
async function copyOfTemplate(): Promise<string> {
  const cache = cacheFolder();
  await openCacheFolder(cache);
  const template = join(cache, await templateName());
  await withLock(`${template}.lock`, () => createCluster(template, password));
  const parent = await mkdtemp(join(tmpdir(), 'parley-postgres-'));
  const folder = join(parent, 'data');
  await copyFolder(template, folder);
  return folder;
}

async function copyFolder(from: string, to: string): Promise<void> {
  // `cp -a` keeps the owner, which matters when root runs the tests; Node's own copy does not.
  if (process.platform === 'linux') await run('cp', ['-a', '--reflink=auto', from, to]);
  else await cp(from, to, { recursive: true });
}
