import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { epochOf, everythingAnsweredOnce } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startWorld, type World } from '../../support/world/world.ts';

test('the only host, killed with -9 and started again, goes on with its conversations', async () => {
  await using world = await startWorld({ workers: 0 });
  const customer = await world.customer();
  const { sessionId, ...connection } = await customer.createSession();
  await using person = await Person.join(connection);
  await person.ask('before', /^You said: before$/);
  const epoch = (await epochOf(world, sessionId)) ?? 0;
  await world.hosts[0]?.kill();
  await world.startHost();
  const from = person.replies.length;
  // The new host is ready for new sessions at once; it inherits when it has proven its predecessor dead.
  await eventually('the successor is in the room', async () => {
    const rows = await world.admin.query(
      sql`select 1 from sessions where id = ${sessionId} and epoch > ${epoch} and unattended_since is null`,
    );
    return rows.length > 0;
  });
  await person.write('after');
  await person.hears(/^You said: after$/, { from });
  await everythingAnsweredOnce(world, sessionId, ['before', 'after']);
  expect(person.texts().filter((text) => text.startsWith('Welcome'))).toHaveLength(1);
  await customer.endSession(sessionId);
});

interface Ended {
  status: string;
  end_reason: string | null;
  duration_seconds: number;
  billed_seconds: number;
}

/** As if everything about the session had happened that much earlier. */
const age = (world: World, sessionId: string, seconds: number) =>
  Promise.all([
    world.admin.query(sql`
      update sessions set created_at = created_at - ${seconds} * interval '1 second',
        started_at = started_at - ${seconds} * interval '1 second',
        last_activity_at = last_activity_at - ${seconds} * interval '1 second',
        agent_ready_at = agent_ready_at - ${seconds} * interval '1 second',
        unattended_since = unattended_since - ${seconds} * interval '1 second',
        deadline_at = deadline_at - ${seconds} * interval '1 second' where id = ${sessionId}`),
    world.admin.query(sql`
      update presence set joined_at = joined_at - ${seconds} * interval '1 second',
        left_at = left_at - ${seconds} * interval '1 second' where session_id = ${sessionId}`),
  ]);

test('when the only host is killed and none comes, the session ends after a minute, and the wait is not paid for', async () => {
  await using world = await startWorld();
  const customer = await world.customer();
  const { sessionId, ...connection } = await customer.createSession();
  await using person = await Person.join(connection);
  await person.ask('before', /^You said: before$/);
  await world.hosts[0]?.kill();
  const killedAt = new Date();
  const agent = async () =>
    (
      await world.admin.query<{ joined_at: Date; left_at: Date | null }>(
        sql`select joined_at, left_at from presence where session_id = ${sessionId} and role = 'agent'`,
      )
    )[0];
  await eventually('the death is noticed', async () => {
    const rows = await world.admin.query(
      sql`select 1 from sessions where id = ${sessionId} and host_id is null and unattended_since is not null`,
    );
    return rows.length > 0;
  });
  // The room server goes on listing the agent until it has given up its connection.
  const others = () => [...person.room.remoteParticipants.values()];
  await eventually('the room server has given the agent up', () => others().length === 0, { withinMs: 60_000 });
  const { joined_at: came, left_at: left } = (await agent()) ?? {};
  expect(left?.getTime()).toBeLessThanOrEqual(killedAt.getTime());
  await age(world, sessionId, 60);
  const ended = await eventually(
    'the session is ended',
    async () =>
      (await world.admin.query<Ended>(sql`select * from sessions where id = ${sessionId} and status = 'ended'`))[0],
    { withinMs: 60_000 },
  );
  expect(ended.end_reason).toBe('agent_unavailable');
  expect(ended.duration_seconds).toBeGreaterThanOrEqual(60);
  const attendedSeconds = ((left?.getTime() ?? 0) - (came?.getTime() ?? 0)) / 1_000;
  expect(ended.billed_seconds).toBeLessThanOrEqual(Math.ceil(attendedSeconds) + 5);
});
