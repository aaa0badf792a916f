import { startRoomServers, type TestRoomServers } from '../rooms/room-servers.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

/** The product over two room servers, which know of each other by a cache. The servers go with the world. */
export async function startWorldOfRoomServers(
  options: Omit<WorldOptions, 'openRooms'>,
): Promise<{ world: World; rooms: TestRoomServers }> {
  const opened = Promise.withResolvers<TestRoomServers>();
  const world = await startWorld({
    ...options,
    openRooms: async (roomOptions) => {
      const rooms = await startRoomServers(2, roomOptions);
      opened.resolve(rooms);
      return rooms;
    },
  });
  return { world, rooms: await opened.promise };
}
