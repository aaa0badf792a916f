import { RoomServiceClient } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { sql } from '../../services/store/sql.ts';
import { eventually } from '../support/eventually.ts';
import { startWorld, type World } from '../support/world.ts';

const atRest = 2;
const burst = 12;

const warmRooms = async (world: World): Promise<number> => {
  const [row] = await world.admin.query<{ count: number }>(sql`select count(*)::integer as count from warm_rooms`);
  return row?.count ?? 0;
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
}, 120_000);
