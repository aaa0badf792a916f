import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { freeTcpPort } from '../../scripts/toolchain/ports.ts';
import { createCluster, endLeftoverServer, startServer } from '../../scripts/toolchain/postgres.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('what was committed survives a crash of the server', async () => {
  await using postgres = await startPostgres();
  await ask(postgres.adminUrl, 'create table kept (n int)');
  await ask(postgres.adminUrl, 'insert into kept values (1)');
  await postgres.kill();
  await expect(ask(postgres.adminUrl, 'select 1')).rejects.toThrow();
  await postgres.start();
  expect(await ask(postgres.adminUrl, 'select n from kept')).toEqual([{ n: 1 }]);
});

test('a paused server keeps callers waiting and answers when it goes on', async () => {
  await using postgres = await startPostgres();
  await postgres.pause();
  const answer = ask(postgres.adminUrl, 'select 1 as one');
  await postgres.resume();
  expect(await answer).toEqual([{ one: 1 }]);
});

test('a server whose starter was killed is found by its folder and ended, and its data opens again', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'parley-leftover-'));
  const folder = join(parent, 'postgres');
  const port = await freeTcpPort();
  try {
    await createCluster(folder, 'secret');
    const module = new URL('../../scripts/toolchain/postgres.ts', import.meta.url).href;
    const script = `import(${JSON.stringify(module)})
      .then(({ startServer }) => startServer(${JSON.stringify({ folder, port, password: 'secret' })}))
      .then((server) => server.ready).then(() => process.kill(process.pid, 'SIGKILL'))`;
    await once(spawn(process.execPath, ['-e', script], { stdio: 'inherit' }), 'exit');
    const url = `postgres://postgres:secret@127.0.0.1:${port}/postgres`;
    expect(await ask(url, 'select 1 as one')).toEqual([{ one: 1 }]);

    expect(await endLeftoverServer(folder)).toBe(true);
    await eventually('nothing listens any more', () =>
      ask(url, 'select 1').then(
        () => false,
        () => true,
      ),
    );
    expect(await endLeftoverServer(folder)).toBe(false);

    const server = await startServer({ folder, port, password: 'secret', endsWithUs: true });
    await server.ready;
    await server.stop();
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
});
