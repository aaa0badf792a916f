import { execFile } from 'node:child_process';
import { chown, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
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
  /**
   * A hot standby of it, synchronous from then on: what is committed is on both. It is restarted for that, once; the standby's own
   * `promote` makes it a server that can be written to, on the next timeline.
   */
  addStandby(): Promise<TestPostgres & { promote(): Promise<void> }>;
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
  return startOn(await copyOfTemplate(), { fsync, settings, ...(onOutput && { onOutput }) });
}

async function startOn(
  folder: string,
  { fsync = false, settings = {}, onOutput }: TestPostgresOptions,
): Promise<TestPostgres> {
  const port = await freeTcpPort();
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
    addStandby: async () => {
      await server.stop();
      const copy = await emptyFolder();
      await copyFolder(folder, copy);
      server = await open();
      const standby = await startStandby(copy, port, { fsync, settings });
      await ask(server.adminUrl, "alter system set synchronous_standby_names = '*'");
      await ask(server.adminUrl, 'select pg_reload_conf()');
      return standby;
    },
    [Symbol.asyncDispose]: async () => {
      await server.resume();
      await server.stop();
      await rm(dirname(folder), { recursive: true, force: true });
    },
  };
}

async function startStandby(
  folder: string,
  primaryPort: number,
  options: TestPostgresOptions,
): Promise<TestPostgres & { promote(): Promise<void> }> {
  const signal = join(folder, 'standby.signal');
  await writeFile(signal, '');
  const { uid, gid } = await stat(folder);
  await chown(signal, uid, gid);
  const primary = `host=127.0.0.1 port=${primaryPort} user=postgres password=${password}`;
  const settings = { ...options.settings, primary_conninfo: primary };
  const standby = await startOn(folder, { ...options, settings });
  return { ...standby, promote: () => ask(standby.adminUrl, 'select pg_promote()') };
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/** Setting up a cluster takes a second, copying one a tenth of it. */
async function copyOfTemplate(): Promise<string> {
  const cache = cacheFolder();
  await openCacheFolder(cache);
  const template = join(cache, await templateName());
  await withLock(`${template}.lock`, () => createCluster(template, password));
  const folder = await emptyFolder();
  await copyFolder(template, folder);
  return folder;
}

/** That of a cluster to be, alone in its parent. */
const emptyFolder = async () => join(await mkdtemp(join(tmpdir(), 'parley-postgres-')), 'data');

async function copyFolder(from: string, to: string): Promise<void> {
  // `cp -a` keeps the owner, which matters when root runs the tests; Node's own copy does not.
  if (process.platform === 'linux') await run('cp', ['-a', '--reflink=auto', from, to]);
  else await cp(from, to, { recursive: true });
}
