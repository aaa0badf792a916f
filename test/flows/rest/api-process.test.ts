import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { sql } from '../../../services/store/sql.ts';
import { startFakeHost } from '../../support/databases/fake-host.ts';
import { eventually } from '../../support/eventually.ts';
import { ask } from '../../support/people/rest.ts';
import { compiledAgent } from '../../support/world/compiled-agent.ts';
import { ServiceProcess } from '../../support/world/service-process.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const entry = new URL('../../../services/api/main.ts', import.meta.url).pathname;

let world: World;
let key: string;

const create = (headers: Record<string, string> = {}) => ask(world.baseUrl, 'POST', '/api/sessions', { key, headers });
const health = () => ask(world.baseUrl, 'GET', '/health');
const internal = (path: string) => fetch(`http://127.0.0.1:${world.apis.at(-1)?.internalPort}${path}`);

beforeAll(async () => {
  world = await startWorld({ hosts: 0, workers: 0, ownPostgres: true });
  key = (await world.publish([compiledAgent()])).desk?.apiKey ?? '';
});

afterAll(() => world?.[Symbol.asyncDispose]());

describe('starting', () => {
  test('names every variable at fault in one go, and ends', async () => {
    await using api = new ServiceProcess(entry, {
      PARLEY_PORT: '7800',
      PARLEY_INTERNAL_PORT: '7800',
      LIVEKIT_URL: 'http://x',
    });
    expect(await api.exited).toEqual([1, null]);
    for (const name of [
      'PARLEY_DATABASE_URL',
      'LIVEKIT_URL',
      'LIVEKIT_API_KEY',
      'LIVEKIT_API_SECRET',
      'PARLEY_MASTER_KEYS',
      'PARLEY_PORT',
    ]) {
      expect(api.output()).toMatch(new RegExp(`^  ${name} .*\\.$`, 'm'));
    }
    expect(api.output()).not.toMatch(/ {4}at /);
  });

  test('says which port is taken, in one sentence', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await eventually('the port is taken', () => blocker.listening);
    const { port } = blocker.address() as { port: number };
    const env = { ...world.env, PARLEY_PORT: String(port), PARLEY_INTERNAL_PORT: String(await freeTcpPort()) };
    await using api = new ServiceProcess(entry, env);
    expect(await api.exited).toEqual([1, null]);
    expect(api.output()).toMatch(new RegExp(`Cannot listen on 127.0.0.1:${port}: another program uses it`));
    blocker.close();
  });

  test('answers without a database, not ready; requests are told to come back', async () => {
    const [port, internalPort] = [await freeTcpPort(), await freeTcpPort()];
    const nowhere = `postgres://parley_service:x@127.0.0.1:${await freeTcpPort()}/postgres`;
    const env = {
      ...world.env,
      PARLEY_DATABASE_URL: nowhere,
      PARLEY_PORT: String(port),
      PARLEY_INTERNAL_PORT: String(internalPort),
    };
    await using _api = new ServiceProcess(entry, env);
    await eventually(
      'it answers',
      async () => (await ask(`http://127.0.0.1:${port}`, 'GET', '/health')).status === 503,
    );
    expect((await fetch(`http://127.0.0.1:${internalPort}/readyz`)).status).toBe(503);
    expect((await fetch(`http://127.0.0.1:${internalPort}/livez`)).status).toBe(200);
    const answer = await ask(`http://127.0.0.1:${port}`, 'POST', '/api/sessions', { key });
    expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

describe('without a free agent host', () => {
  test('a request waits, is refused, and its Idempotency-Key works again afterwards', async () => {
    const headers = { 'idempotency-key': 'nobody-was-there-1' };
    const refused = await create(headers);
    expect([refused.status, refused.body.code], refused.text).toEqual([503, 'no_capacity']);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const [row] = await world.admin.query(sql`select status, end_reason, billed_seconds from sessions`);
    expect(row).toEqual({ status: 'ended', end_reason: 'agent_unavailable', billed_seconds: 0 });
    const scaling = (await (await internal('/scaling')).json()) as Record<string, number>;
    expect(scaling).toEqual({ live: 0, waiting: 0, refusedLastMinute: 1, wanted: 1, wantedVoice: 0, capacity: 0 });
    await using _host = await startFakeHost(world.serviceUrl, { warmRooms: 1 });
    expect((await create(headers)).status).toBe(200);
  });

  test('a request is answered as soon as an agent has come; a second one with its key is told to wait', async () => {
    const headers = { 'idempotency-key': 'the-agent-is-coming' };
    const first = create(headers);
    const waiting = await eventually('the session waits', async () => {
      const rows = await world.admin.query<{ id: string }>(
        sql`select id from sessions where status = 'created' and agent_ready_at is null`,
      );
      return rows[0]?.id;
    });
    const second = await create(headers);
    expect([second.status, second.body.code]).toEqual([409, 'idempotency_key_in_progress']);
    await world.admin.query(sql`update sessions set agent_ready_at = now() where id = ${waiting}`);
    await world.admin.query(sql`select pg_notify('parley_ready', ${waiting})`);
    expect((await first).body.sessionId).toBe(waiting);
    expect((await create(headers)).body.sessionId).toBe(waiting);
  });
});

describe('when something is away', () => {
  test('the database: 503 with Retry-After, health says so, readiness does not, and all is well when it is back', async () => {
    await using host = await startFakeHost(world.serviceUrl, { warmRooms: 4 });
    expect((await create()).status).toBe(200);
    await world.postgres.stop();
    const refused = await create();
    expect([refused.status, refused.body.code], refused.text).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const degraded = await eventually('health notices', async () => {
      const answer = await health();
      return answer.status === 503 && answer;
    });
    expect(degraded.body).toMatchObject({
      status: 'degraded',
      code: 'unavailable',
      message: 'The database cannot be reached at the moment. Try again shortly.',
    });
    expect((await internal('/readyz')).status).toBe(200);
    await world.postgres.start();
    await eventually('it is well', async () => (await health()).status === 200);
    // While a host's lock is away with its connection, its warm rooms are taken for a dead host's.
    await eventually('sessions are created again', async () => {
      await host.addWarmRooms(1);
      return (await create()).status === 200;
    });
  });

  test('the database, frozen: nobody waits for ever', async () => {
    await world.postgres.pause();
    try {
      const refused = await create();
      expect([refused.status, refused.body.code], refused.text).toEqual([503, 'unavailable']);
      await eventually('health notices', async () => (await health()).status === 503);
    } finally {
      await world.postgres.resume();
    }
    await eventually('it is well', async () => (await health()).status === 200);
  });

  test('the room server: health says so', async () => {
    await world.rooms.kill();
    const degraded = await eventually('health notices', async () => {
      const answer = await health();
      return answer.status === 503 && answer;
    });
    expect(degraded.body.message).toBe('The room server cannot be reached at the moment. Try again shortly.');
    await world.rooms.start();
    await eventually('it is well', async () => (await health()).status === 200);
  });

  // By PostgreSQL's own code for it; a disk that was really full was tried by hand (a session's first row, in a volume without a free block).
  test('room on the disk of the database: a refusal says so, and so does health', async () => {
    await world.admin.query(sql`
      create function no_room() returns trigger language plpgsql as 'begin raise exception using errcode = ''disk_full''; end'`);
    await world.admin.query(sql`create trigger no_room before insert on sessions execute function no_room()`);
    const message = 'The database has no room left: nothing can be stored until its operator makes some.';
    const refused = await eventually('the host is there again', async () => {
      const answer = await create();
      return answer.body.message === message && answer;
    });
    expect([refused.status, refused.body.code]).toEqual([503, 'unavailable']);
    expect((await health()).body).toMatchObject({ status: 'degraded', message });
    await world.admin.query(sql`drop trigger no_room on sessions`);
  });
});

describe('stopping', () => {
  test('a request under way gets its answer, then the process ends', async () => {
    const api = world.apis.at(-1);
    if (!api) throw new Error('the world has an API');
    const underWay = create();
    await eventually('the request has come', async () => {
      const rows = await world.admin.query(
        sql`select 1 from sessions where status = 'created' and agent_ready_at is null`,
      );
      return rows.length > 0;
    });
    api.signal('SIGTERM');
    await eventually('it is not ready any more', async () => {
      const status = await internal('/readyz').then(
        (answer) => answer.status,
        () => 0,
      );
      return status === 503;
    });
    expect((await underWay).body.code).toBe('no_capacity');
    expect(await api.exited).toEqual([0, null]);
    expect(api.output()).toMatch(/"msg":"stopped"/);
  });
});
