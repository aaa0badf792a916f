import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { everythingAnsweredOnce, storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../eventually.ts';
import type { World } from '../world/world.ts';
import type { Customer } from './customer.ts';
import { Person } from './person.ts';

/** A conversation with the echo, by a client that does what docs/call/room.md tells it to. */
export interface Talk {
  sessionId: string;
  person: Person;
  /** What was written, in its order, each under the id of its stream. */
  written: string[];
  streams: Map<string, string>;
}

export async function startTalk(customer: Customer): Promise<Talk> {
  // More at once than there are warm rooms: a caller who hears 503 comes again.
  const { sessionId, ...connection } = await eventually('a session is created', () => customer.createSession());
  const person = await Person.join(connection);
  await person.hears(/^Welcome/);
  return { sessionId, person, written: [], streams: new Map() };
}

export async function write(talk: Talk, text: string): Promise<void> {
  talk.written.push(text);
  talk.streams.set(text, randomUUID());
  await send(talk, text);
}

async function send({ person, streams }: Talk, text: string): Promise<void> {
  await person.room.localParticipant?.sendText(text, { topic: 'lk.chat', streamId: streams.get(text) ?? '' });
}

export const isAnswered = (talk: Talk, text: string): boolean => talk.person.texts().includes(`You said: ${text}`);

/** Everybody writes this, and hears it answered. */
export async function everybodyWrites(talks: readonly Talk[], text: string): Promise<void> {
  await Promise.all(talks.map((talk) => write(talk, text)));
  await eventually(`all hear an answer to "${text}"`, () => talks.every((talk) => isAnswered(talk, text)));
}

/** The agent's sid as the person sees it: another one after every join. */
export const agentOf = ({ person }: Talk): string | undefined =>
  [...person.room.remoteParticipants.values()].find(({ identity }) => identity === 'agent')?.sid;

export async function endTalks(customer: Customer, talks: readonly Talk[]): Promise<void> {
  await Promise.all(talks.map(({ sessionId }) => customer.endSession(sessionId)));
  await Promise.all(talks.map(({ person }) => person.leave()));
}

/** Stored once, answered once, and heard once; greeted once in all. */
export async function nothingLostOrRepeated(world: World, talk: Talk): Promise<void> {
  await everythingAnsweredOnce(world, talk.sessionId, talk.written);
  const inOrder = (texts: readonly string[]) => texts.map((text) => `You said: ${text}`);
  const [greeting, ...answers] = talk.person.texts();
  assert.equal(greeting, 'Welcome to the echo.');
  // What only the former host heard may be answered after what its successor heard.
  assert.deepEqual([...answers].sort(), inOrder(talk.written).sort());
  const greetings = (await storedLines(world, talk.sessionId)).filter(({ content }) => /^Welcome/.test(content));
  assert.equal(greetings.length, 1);
}
