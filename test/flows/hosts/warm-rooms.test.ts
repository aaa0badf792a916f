import { RoomServiceClient } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const atRest = 2;
const burst = 12;

const warmRooms = async (world: World): Promise<number> => {
  const [row] = await world.admin.query<{ count: number }>(sql`select count(*)::integer as count from warm_rooms`);
  return row?.count ?? 0;
};

const starting = async (internalPort: number | undefined): Promise<number> => {
  const answer = await fetch(`http://127.0.0.1:${internalPort}/readyz`);
  return ((await answer.json()) as { starting: number }).starting;
};

test('after a burst more rooms are kept ready for those who come back, and when nobody comes they are given up', async () => {
  await using world = await startWorld({ warmRooms: atRest, workers: 0 });
  const customer = await world.customer();
  await Promise.all(
    Array.from({ length: burst }, () =>
      eventually('a session', async () => {
        const answer = await customer.call('POST', '/api/sessions', { body: {} });
        expect(answer.ok || answer.headers.get('retry-after') === '1').toBe(true);
        return answer.ok;
      }),
    ),
  );

  await eventually('more rooms than at rest', async () => (await warmRooms(world)) > atRest);
  await eventually('as many rooms as at rest', async () => (await warmRooms(world)) === atRest);
  const { httpUrl, apiKey, apiSecret } = world.rooms;
  const rooms = new RoomServiceClient(httpUrl, apiKey, apiSecret);
  await eventually('the others are gone', async () => (await rooms.listRooms()).length === burst + atRest);
});

test('a session that is found by comparing what the host owns is served in the warm room that it came with', async () => {
  await using world = await startWorld({ warmRooms: 4, workers: 0 });
  const customer = await world.customer();
  const [host] = world.hosts;
  await eventually('its rooms are warm', async () => (await warmRooms(world)) === 4);
  const texts = ['one', 'two', 'three', 'four'];
  host?.signal('SIGSTOP');
  const persons = await Promise.all(
    texts.map(async (text) => {
      const person = await Person.join(await customer.createSession());
      await person.write(text);
      return person;
    }),
  );
  await world.admin.asTenant(world.tenant, async (tx) => {
    // Locked rows can be read, which the comparison does, but not acknowledged, which the look for work does first.
    await tx.query(sql`select 1 from sessions for update`);
    host?.signal('SIGCONT');
    await eventually('the host has begun with all', async () => (await starting(host?.internalPort)) === texts.length);
  });
  await Promise.all(persons.map((person, index) => person.hears(new RegExp(texts[index] ?? 'nothing'))));
  await Promise.all(persons.map((person) => person.leave()));
});
