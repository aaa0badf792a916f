import { randomInt } from 'node:crypto';
import type { Ability } from '../../../services/agent-files/definition/speech-needs.ts';
import { newRoomName, newUuid } from '../../../services/core/sessions/ids.ts';
import { type DirectConnection, openDirectConnection } from '../../../services/store/direct.ts';
import {
  deleteWarmRoom,
  insertHost,
  insertWarmRoom,
  lockHost,
  releaseHost,
} from '../../../services/store/tables/hosts.ts';

/** An agent host as far as the database can tell: alive by its advisory lock, with warm rooms to give away. Nobody is in them. */
export interface FakeHost extends AsyncDisposable {
  readonly id: string;
  readonly lockKey: number;
  /** Returns the rooms' names. */
  addWarmRooms(count: number): Promise<string[]>;
  removeWarmRooms(names: readonly string[]): Promise<void>;
}

export interface FakeHostOptions {
  warmRooms?: number;
  capacity?: number;
  voiceCapacity?: number;
  abilities?: readonly Ability[];
}

/** @param url the database as the services see it */
export async function startFakeHost(
  url: string,
  { warmRooms = 0, capacity = 1_000_000, voiceCapacity = 0, abilities }: FakeHostOptions = {},
): Promise<FakeHost> {
  const id = newUuid();
  const lockKey = randomInt(2 ** 47);
  const connection: DirectConnection = await openDirectConnection({
    url,
    applicationName: 'fake-host',
    channels: [],
    onNotification: () => undefined,
    onConnect: async (q) => {
      await lockHost(q, lockKey);
    },
  });
  await insertHost(connection, { id, lockKey, capacity, voiceCapacity, abilities });
  const addWarmRooms = async (count: number) => {
    const names = Array.from({ length: count }, newRoomName);
    for (const name of names) await insertWarmRoom(connection, name, id);
    return names;
  };
  await addWarmRooms(warmRooms);
  return {
    id,
    lockKey,
    addWarmRooms,
    removeWarmRooms: async (names) => {
      for (const name of names) await deleteWarmRoom(connection, name);
    },
    [Symbol.asyncDispose]: async () => {
      await releaseHost(connection, id).catch(() => undefined);
      await connection.close();
    },
  };
}
