import { afterAll, beforeAll, expect, test } from 'vitest';
import { isDatabaseUnavailable } from '../../services/store/database.ts';
import { type DirectConnection, openDirectConnection } from '../../services/store/direct.ts';
import { openJobConnections } from '../../services/store/job-pool.ts';
import { one, sql } from '../../services/store/sql.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy } from '../support/network/tcp-proxy.ts';

let postgres: TestPostgres;
let connection: DirectConnection;
const warnings: Error[] = [];
const keep = (warning: Error) => void warnings.push(warning);

beforeAll(async () => {
  process.on('warning', keep);
  postgres = await startPostgres();
  connection = await openDirectConnection({
    url: postgres.adminUrl,
    applicationName: 'direct',
    channels: [],
    onNotification: () => undefined,
  });
});

afterAll(async () => {
  process.off('warning', keep);
  await connection?.close();
  await postgres?.[Symbol.asyncDispose]();
});

const backend = async () => (await one<{ pid: number }>(connection, sql`select pg_backend_pid() as pid`)).pid;

test('queries at once take turns, and one that fails holds up no other', async () => {
  const numbers = [1, 2, 0, 4];
  const answers = await Promise.allSettled(
    numbers.map((number) => one<{ share: number }>(connection, sql`select 8 / ${number}::int as share`)),
  );
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.share : 'failed'))).toEqual([
    8,
    4,
    'failed',
    2,
  ]);
  expect(warnings).toEqual([]);
});

test('the server asks a silent client after seconds, not after two hours', async () => {
  const settings = sql`select name, setting from pg_settings where name like 'tcp_keepalives%' order by name`;
  const told = [
    { name: 'tcp_keepalives_count', setting: '3' },
    { name: 'tcp_keepalives_idle', setting: '10' },
    { name: 'tcp_keepalives_interval', setting: '5' },
  ];
  expect(await connection.query(settings)).toEqual(told);
  const pool = openJobConnections(postgres.adminUrl, { max: 1, applicationName: 'jobs' });
  expect((await pool.query(settings.text)).rows).toEqual(told);
  await pool.end();
});

test('a connection that is killed is made again', async () => {
  const killed = await backend();
  await one(connection, sql`select pg_terminate_backend(${killed})`).catch(() => undefined);
  await eventually('another one answers', async () => (await backend().catch(() => killed)) !== killed);
});

test('a connection that is half open is made again although nobody asks anything of it, and hears what is notified', async () => {
  await using proxy = await startTcpProxy(postgres.port);
  const heard: string[] = [];
  let ready = 0;
  const listening = await openDirectConnection({
    url: proxy.through(postgres.adminUrl),
    applicationName: 'listening',
    channels: ['news'],
    onNotification: (_channel, payload) => heard.push(payload),
    onReady: () => {
      ready += 1;
    },
  });
  proxy.halfOpen();
  await eventually('it is there again', () => ready === 2);
  await one(connection, sql`select pg_notify('news', 'after')`);
  await eventually('it hears', () => heard.includes('after'));
  await listening.close();
});

test('a server of which nothing is heard counts as away: whoever starts meanwhile waits for it', async () => {
  await using proxy = await startTcpProxy(postgres.port);
  proxy.partition();
  const url = proxy.through(postgres.adminUrl);
  const opened = openDirectConnection({ url, applicationName: 'late', channels: [], onNotification: () => undefined });
  const why = await opened.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isDatabaseUnavailable(why)).toBe(true);
});

test('a connection of the job pool that is killed is replaced, too', async () => {
  const pool = openJobConnections(postgres.adminUrl, { max: 1, applicationName: 'jobs' });
  const pid = async () => (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid;
  const killed = await pid();
  await one(connection, sql`select pg_terminate_backend(${killed})`);
  await eventually('another one answers', async () => (await pid().catch(() => killed)) !== killed);
  await pool.end();
});
