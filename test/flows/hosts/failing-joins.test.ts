import { expect, test } from 'vitest';
import { openDatabase } from '../../../services/store/database.ts';
import { readRow, storeSession } from '../../support/databases/stored-conversation.ts';
import { eventually } from '../../support/eventually.ts';
import { startWorld } from '../../support/world/world.ts';

test('a host that cannot join a room waits longer each time, and takes the session up when the room server is back', async () => {
  await using world = await startWorld({ apis: 0, workers: 0, warmRooms: 0 });
  const [host] = world.hosts;
  const db = openDatabase(world.serviceUrl);
  await world.rooms.kill();
  const where = { db, tenant: world.tenant };
  const session = await storeSession(where);
  const waited = (ms: number) => host?.output().includes(`"keptMs":${ms}`);
  await eventually('it has waited for two seconds', () => waited(2_000), { withinMs: 60_000 });
  expect([0, 500, 1_000].map(waited)).toEqual([true, true, true]);
  expect((await readRow(where, session))?.epoch).toBeLessThanOrEqual(6);
  await world.rooms.start();
  await eventually('its agent is there', async () => (await readRow(where, session))?.agent_ready_at, {
    withinMs: 60_000,
  });
  await db.close();
});
