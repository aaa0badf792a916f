import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { eventually } from '../eventually.ts';
import { endsWithUs } from '../world/ends-with-us.ts';

/** A real PgBouncer that lends its connections for a transaction, set up as docs/operate/scaling.md says. */
export interface TestPgBouncer extends AsyncDisposable {
  /** The same database and role by way of it. */
  through(url: string): string;
  /** Transactions that it has carried, and connections that clients and it have open. */
  figures(): Promise<{ transactions: number; clients: number; servers: number }>;
  output(): string;
}

export interface PgBouncerOptions {
  /** The program; 1.21 or newer. */
  program: string;
  /** As each role that comes through it connects. */
  urls: readonly [string, ...string[]];
  /** Connections to the server, for each role. */
  poolSize: number;
}

export async function startPgBouncer({ program, urls, poolSize }: PgBouncerOptions): Promise<TestPgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-pgbouncer-'));
  const port = await freeTcpPort();
  const file = await writeSettings(folder, { urls, poolSize, port });
  const child = spawn(...endsWithUs(program, [file]), { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-20_000);
    });
  }
  const through = (url: string) => Object.assign(new URL(url), { port: String(port) }).href;
  const admin = Object.assign(new URL(through(urls[0])), { pathname: '/pgbouncer' }).href;
  const stop = () => stopped(child, folder);
  const figures = () => figuresOf(admin);
  await eventually('PgBouncer answers', async () => (await figures()).clients >= 0).catch(async (error: Error) => {
    await stop();
    throw new Error(`${error.message}\n${output}`);
  });
  return { through, figures, output: () => output, [Symbol.asyncDispose]: stop };
}

async function writeSettings(
  folder: string,
  { urls, poolSize, port }: Pick<PgBouncerOptions, 'urls' | 'poolSize'> & { port: number },
): Promise<string> {
  const [{ hostname, port: serverPort, pathname, username }] = urls.map((url) => new URL(url)) as [URL];
  const database = pathname.slice(1);
  const roles = urls.map((url) => new URL(url)).map((url) => `"${url.username}" "${decodeURIComponent(url.password)}"`);
  const roleFile = join(folder, 'roles.txt');
  await writeFile(roleFile, `${roles.join('\n')}\n`);
  const file = join(folder, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `${database} = host=${hostname} port=${serverPort} dbname=${database}`,
    '[pgbouncer]',
    ...[`listen_addr = 127.0.0.1`, `listen_port = ${port}`, 'unix_socket_dir =', `auth_file = ${roleFile}`],
    ...['auth_type = scram-sha-256', `admin_users = ${username}`, 'max_client_conn = 500'],
    ...['pool_mode = transaction', 'max_prepared_statements = 200', `default_pool_size = ${poolSize}`],
    'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout',
    // It refuses to be root.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ];
  await writeFile(file, `${settings.join('\n')}\n`);
  await chmod(folder, 0o755);
  return file;
}

async function figuresOf(admin: string): Promise<{ transactions: number; clients: number; servers: number }> {
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  try {
    const rowsOf = async (what: string) => (await client.query<Record<string, unknown>>(`show ${what}`)).rows;
    const stats = await rowsOf('stats_totals');
    const transactions = stats
      .filter(({ database }) => database !== 'pgbouncer')
      .reduce((sum, { xact_count }) => sum + Number(xact_count), 0);
    return { transactions, clients: (await rowsOf('clients')).length, servers: (await rowsOf('servers')).length };
  } finally {
    await client.end();
  }
}

async function stopped(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await rm(folder, { recursive: true, force: true });
}
