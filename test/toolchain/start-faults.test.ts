import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ownPorts } from '../support/world/started.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let folder: string;
let ports: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-start-'));
  ports = await ownPorts();
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** What a start that can't work says; fails when it works. */
async function failure(...args: string[]): Promise<string> {
  const command = [join(root, 'scripts', 'start.ts'), ...ports, '--data', join(folder, 'data'), ...args];
  const outcome = await run(process.execPath, command).then(
    () => 'started',
    (error: { stderr: string }) => error.stderr.trim(),
  );
  expect(outcome).not.toBe('started');
  expect(outcome.split('\n')).toHaveLength(1);
  return outcome;
}

async function listen(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test.for(['--port', '--internal-port', '--demo-tools-port', '--postgres-port', '--room-port'])(
  'a taken port is named, and %s as what changes it',
  async (flag) => {
    await using server = await listen();
    const address = server.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    expect(await failure(flag, port)).toMatch(new RegExp(`^Port ${port} .* is taken: .* ${flag} or PARLEY_`));
  },
);

test('a data folder that cannot be made says so', async () => {
  await writeFile(join(folder, 'file'), '');
  expect(await failure('--data', join(folder, 'file', 'data'))).toMatch(/^The data folder .* is not a folder/);
});

test('a place where nothing can be made says so at once', async ({ skip }) => {
  skip(process.platform !== 'linux', 'there is no /proc here');
  expect(await failure('--data', '/proc/parley/data')).toMatch(
    /^The data folder \/proc\/parley\/data .* can't be made/,
  );
});

test('data without the secrets it was made with are left alone', async () => {
  await mkdir(join(folder, 'data', 'postgres'), { recursive: true });
  expect(await failure()).toMatch(/secrets\.json is missing/);
});

test('a damaged secrets file is named and kept', async () => {
  await mkdir(join(folder, 'data'));
  await writeFile(join(folder, 'data', 'secrets.json'), '{"databasePassword":');
  expect(await failure()).toMatch(/secrets\.json does not hold what it should/);
  expect(await readFile(join(folder, 'data', 'secrets.json'), 'utf8')).toBe('{"databasePassword":');
});

test('data of another PostgreSQL are left alone', async () => {
  const data = join(folder, 'data');
  await mkdir(data);
  const text = { databaseAdminPassword: 'a', databasePassword: 'b', roomServerKey: 'c', masterKeys: 'd' };
  await writeFile(join(data, 'secrets.json'), JSON.stringify({ ...text, roomServerSecret: 'e'.repeat(32) }));
  await mkdir(join(data, 'postgres'), { mode: 0o700 });
  await writeFile(join(data, 'postgres', 'PG_VERSION'), '12\n');
  expect(await failure()).toMatch(/is of PostgreSQL 12, this is 18: move it away/);
});

/** Only root may mount, and not in every container. */
async function mounted(options: string): Promise<AsyncDisposable | undefined> {
  const place = join(folder, 'data');
  await mkdir(place);
  const works = await run('mount', ['-t', 'tmpfs', '-o', options, 'none', place]).then(
    () => true,
    () => false,
  );
  if (!works) return undefined;
  return { [Symbol.asyncDispose]: async () => void (await run('umount', [place])) };
}

test('a full disk is named', async ({ skip }) => {
  await using mount = await mounted('size=20m');
  skip(!mount, 'nothing can be mounted here');
  expect(await failure()).toMatch(/^The disk is full: free some space/);
});

test('a read-only folder is named, and how to choose another', async ({ skip }) => {
  await using mount = await mounted('size=1m,ro');
  skip(!mount, 'nothing can be mounted here');
  expect(await failure()).toMatch(/^The data folder .*\(--data or PARLEY_DATA_DIR\) is on a read-only file system/);
});
