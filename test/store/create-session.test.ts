import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertSession, type NewSession } from '../../services/core/channels/new-session.ts';
import { sql } from '../../services/store/sql.ts';
import { type CreateResult, forgetIdempotency } from '../../services/store/tables/sessions.ts';
import { type FakeHost, startFakeHost } from '../support/databases/fake-host.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let tenants = 0;

beforeAll(async () => {
  store = await startMigratedDatabase({ connections: 24 });
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
});

/** Each test has a tenant of its own, so that no count is shared. */
async function aTenant() {
  tenants += 1;
  const owner = await store.addTenant(`tenant-${tenants}`);
  return {
    ...owner,
    create: (fields: Partial<NewSession> = {}) => insertSession(store.db, newSession(owner, fields)),
    sessions: async () =>
      (
        await store.admin.query<{ count: number }>(
          sql`select count(*)::integer as count from sessions where tenant_id = ${owner.tenant}`,
        )
      )[0]?.count,
    end: (id: string) =>
      store.admin.query(
        sql`update sessions set status = 'ended', end_reason = 'client_ended', ended_at = now() where id = ${id}`,
      ),
  };
}

const many = (count: number, create: (index: number) => Promise<CreateResult>) =>
  Promise.all(Array.from({ length: count }, (_, index) => create(index)));

function tally(results: readonly CreateResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

const idempotency = (key: string, body = 'the body') => ({
  scopeHash: Buffer.from(key.padEnd(32)),
  bodyHash: Buffer.from(body.padEnd(32)),
});

/** The agent is in the room of a session that was made without a warm one. */
const agentReady = (id: string) => store.admin.query(sql`update sessions set agent_ready_at = now() where id = ${id}`);

describe('the caps of one creation after another, however many at once', () => {
  test("an agent's cap on live sessions is exact", async () => {
    const { create, sessions } = await aTenant();
    expect(tally(await many(60, () => create({ concurrentCap: 10 })))).toEqual({ cold: 10, concurrency_limit: 50 });
    expect(await sessions()).toBe(10);
  });

  test('a session that ends makes room for another', async () => {
    const { create, end } = await aTenant();
    const first = await create({ concurrentCap: 1 });
    expect((await create({ concurrentCap: 1 })).result).toBe('concurrency_limit');
    await end(first.session_id);
    expect((await create({ concurrentCap: 1 })).result).toBe('cold');
  });

  test("a tenant's cap holds over all its agents, and for no other tenant", async () => {
    const [mine, other] = [await aTenant(), await aTenant()];
    await many(5, () => other.create());
    expect(tally(await many(30, () => mine.create({ tenantCap: 7 })))).toEqual({ cold: 7, concurrency_limit: 23 });
    expect((await other.create({ tenantCap: 7 })).result).toBe('cold');
  });

  test('sessions that wait for their person are capped by who asked, and by nobody else', async () => {
    const { create } = await aTenant();
    const mine = { createdBy: randomBytes(32), unjoinedCap: 3 };
    expect(tally(await many(30, () => create(mine)))).toEqual({ cold: 3, unjoined_limit: 27 });
    expect((await create({ createdBy: randomBytes(32), unjoinedCap: 3 })).result).toBe('cold');
    expect((await create({ createdBy: null, unjoinedCap: 3 })).result).toBe('cold');
  });

  test('a session that was joined does not wait any more', async () => {
    const { create } = await aTenant();
    const mine = { createdBy: randomBytes(32), unjoinedCap: 1 };
    const first = await create(mine);
    await store.admin.query(sql`update sessions set status = 'running' where id = ${first.session_id}`);
    expect((await create(mine)).result).toBe('cold');
  });
});

describe('a request that carries an Idempotency-Key', () => {
  test('makes one session, however many of it come at once', async () => {
    const { create, sessions } = await aTenant();
    const results = await many(40, () => create({ idempotency: idempotency('once') }));
    expect(tally(results)).toEqual({ cold: 1, idempotency_key_in_progress: 39 });
    expect(new Set(results.map(({ session_id }) => session_id)).size).toBe(1);
    expect(await sessions()).toBe(1);
  });

  test('is answered with the same session once its agent is there', async () => {
    const { create } = await aTenant();
    const first = await create({ idempotency: idempotency('again') });
    await agentReady(first.session_id);
    expect(await create({ idempotency: idempotency('again') })).toEqual({ ...first, result: 'replayed' });
  });

  test('is refused with another body, and when its session is over', async () => {
    const { create, end } = await aTenant();
    const first = await create({ idempotency: idempotency('key') });
    await agentReady(first.session_id);
    expect((await create({ idempotency: idempotency('key', 'another body') })).result).toBe('idempotency_key_reused');
    await end(first.session_id);
    expect((await create({ idempotency: idempotency('key') })).result).toBe('session_ended');
  });

  test('may be sent again after it was refused by a cap: nothing is remembered of it', async () => {
    const { create, end } = await aTenant();
    const first = await create();
    const capped = { concurrentCap: 1, idempotency: idempotency('later') };
    expect((await create(capped)).result).toBe('concurrency_limit');
    await end(first.session_id);
    expect((await create(capped)).result).toBe('cold');
  });

  test('means nothing to another tenant, and nothing after 24 hours', async () => {
    const [mine, other] = [await aTenant(), await aTenant()];
    const first = await mine.create({ idempotency: idempotency('mine') });
    expect((await other.create({ idempotency: idempotency('mine') })).result).toBe('cold');
    await store.admin.query(
      sql`update idempotency_keys set created_at = created_at - interval '25 hours' where tenant_id = ${mine.tenant}`,
    );
    const second = await mine.create({ idempotency: idempotency('mine') });
    expect(second.result).toBe('cold');
    expect(second.session_id).not.toBe(first.session_id);
  });
});

test('a signed request that comes again with its Idempotency-Key is a repetition, and a used signature with any other', async () => {
  const { create, sessions } = await aTenant();
  const signed = { signature: randomBytes(32), idempotency: idempotency('signed') };
  const first = await create(signed);
  await agentReady(first.session_id);
  expect(tally(await many(10, () => create(signed)))).toEqual({ replayed: 10 });
  expect((await create({ ...signed, idempotency: idempotency('another') })).result).toBe('signature_used');
  expect((await create({ signature: signed.signature })).result).toBe('signature_used');
  const other = { signature: randomBytes(32), idempotency: idempotency('signed', 'another body') };
  expect((await create(other)).result).toBe('idempotency_key_reused');
  expect(await sessions()).toBe(1);
});

test('a session that was given up leaves nothing of its request: it may come again as it was', async () => {
  const { tenant, create } = await aTenant();
  const signed = { signature: randomBytes(32), idempotency: idempotency('given up') };
  const first = await create(signed);
  await store.db.asTenant(tenant, (tx) => forgetIdempotency(tx, first.session_id));
  expect((await create(signed)).result).toBe('cold');
});

test('a signature is accepted once, however many requests bring it at once', async () => {
  const { create, sessions } = await aTenant();
  const signature = randomBytes(32);
  expect(tally(await many(20, () => create({ signature })))).toEqual({ cold: 1, signature_used: 19 });
  expect(await sessions()).toBe(1);
});

describe('warm rooms', () => {
  const roomsOf = async (host: FakeHost) =>
    (
      await store.admin.query<{ room_name: string }>(
        sql`select room_name from warm_rooms where host_id = ${host.id} order by created_at`,
      )
    ).map((row) => row.room_name);

  test('are given away oldest first, each to one session', async () => {
    const { create } = await aTenant();
    await using host = await startFakeHost(store.serviceUrl);
    const rooms = await host.addWarmRooms(10);
    expect((await create({ warm: true })).room_name).toBe(rooms[0]);
    const results = await many(12, () => create({ warm: true }));
    expect(tally(results)).toEqual({ warm: 9, cold: 3 });
    const taken = results.filter(({ result }) => result === 'warm');
    expect(taken.map(({ room_name }) => room_name).sort()).toEqual(rooms.slice(1).sort());
    expect(taken.every(({ host_id }) => host_id === host.id)).toBe(true);
  });

  test('are left alone by a session that brings its own room', async () => {
    const { create } = await aTenant();
    await using host = await startFakeHost(store.serviceUrl, { warmRooms: 1 });
    expect((await create({ warm: false, roomName: 'the-callers-room' })).room_name).toBe('the-callers-room');
    expect(await roomsOf(host)).toHaveLength(1);
  });

  test('are left alone by a request that is refused', async () => {
    const { create } = await aTenant();
    await create();
    await using host = await startFakeHost(store.serviceUrl, { warmRooms: 1 });
    expect((await create({ warm: true, concurrentCap: 1 })).result).toBe('concurrency_limit');
    expect(await roomsOf(host)).toHaveLength(1);
  });

  test('of a host that has died are skipped, although they are the oldest', async () => {
    const { create } = await aTenant();
    const dead = await startFakeHost(store.serviceUrl, { warmRooms: 3 });
    await using alive = await startFakeHost(store.serviceUrl, { warmRooms: 1 });
    const [room] = await roomsOf(alive);
    // As a crash leaves it: the lock is gone with its connection, its rows are still there.
    const { id } = dead;
    const rows = await store.admin.query<{ lock_key: number; capacity: number }>(
      sql`select lock_key, capacity from hosts where id = ${id}`,
    );
    const rooms = await roomsOf(dead);
    await dead[Symbol.asyncDispose]();
    await store.admin.query(
      sql`insert into hosts (id, lock_key, capacity) values (${id}, ${rows[0]?.lock_key}, ${rows[0]?.capacity})`,
    );
    for (const name of rooms) {
      await store.admin.query(
        sql`insert into warm_rooms values (${name}, ${id}, clock_timestamp() - interval '1 minute')`,
      );
    }
    expect(await create({ warm: true })).toMatchObject({ result: 'warm', host_id: alive.id, room_name: room });
    expect((await create({ warm: true })).result).toBe('cold');
    await store.admin.query(sql`delete from hosts where id = ${id}`);
  });

  test('of a host that is being stopped are skipped', async () => {
    const { create } = await aTenant();
    await using host = await startFakeHost(store.serviceUrl, { warmRooms: 2 });
    await store.admin.query(sql`update hosts set draining = true where id = ${host.id}`);
    expect((await create({ warm: true })).result).toBe('cold');
  });
});
