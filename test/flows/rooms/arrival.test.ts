import { Room } from '@livekit/rtc-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Arrival, wordsArrived } from '../../../services/agent/room/arrival.ts';
import { connect } from '../../../services/agent/room/connect.ts';
import { openRooms, type Rooms } from '../../../services/core/rooms/rooms.ts';
import { newRoomName } from '../../../services/core/sessions/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startRoomServer, type TestRoomServer } from '../../support/rooms/room-server.ts';

let server: TestRoomServer;
let rooms: Rooms;

beforeAll(async () => {
  server = await startRoomServer();
  rooms = openRooms({ ...server, publicUrl: server.url });
});

afterAll(() => server?.[Symbol.asyncDispose]());

async function agentAndPerson() {
  const [name, agent] = [newRoomName(), new Room()];
  await rooms.create(name);
  await connect(agent, server.url, rooms.agentToken(name));
  const token = rooms.personToken(name, 'person', { ttlMs: 60_000, camera: false });
  const person = await Person.join({ wsUrl: server.url, token });
  await eventually('the agent knows of the person', () => agent.remoteParticipants.size === 1);
  const say = (text: string) => agent.localParticipant?.sendText(text, { topic: 'lk.transcription' });
  const dispose = async () => {
    await person.leave();
    await agent.disconnect();
  };
  return { agent, person, say, [Symbol.asyncDispose]: dispose };
}

/** The native layer of a client answers for it as soon as it has the words; JavaScript reads them a moment later. */
const haveBeenRead = (person: Person, count: number) =>
  eventually('the words have been read', () => person.texts().length === count);

test('a client that knows nothing of it says whether it has the words', async () => {
  await using it = await agentAndPerson();
  for (let i = 0; i < 20; i += 1) await it.say(`line ${i}`);
  expect(await wordsArrived(it.agent, 'person', 5_000)).toBe('arrived');
  await haveBeenRead(it.person, 20);
  expect(it.person.texts()).toHaveLength(20);
});

test('words that are still under way have not arrived, and have once the room server goes on', async () => {
  await using it = await agentAndPerson();
  server.pause();
  let arrived: Arrival | undefined;
  try {
    await it.say('held up');
    const asked = wordsArrived(it.agent, 'person', 20_000).then((does) => {
      arrived = does;
    });
    // Somebody who asks the same with less patience has given up by now.
    expect(await wordsArrived(it.agent, 'person', 1_000)).toBe('unknown');
    expect(arrived).toBeUndefined();
    server.resume();
    await asked;
  } finally {
    server.resume();
  }
  expect(arrived).toBe('arrived');
  await haveBeenRead(it.person, 1);
  expect(it.person.texts()).toEqual(['held up']);
});

test('of words that did not arrive in time it is said that they did not', async () => {
  await using it = await agentAndPerson();
  server.pause();
  try {
    await it.say('held up for longer');
    expect(await wordsArrived(it.agent, 'person', 500)).toBe('unknown');
  } finally {
    server.resume();
  }
});
