import { expect } from 'vitest';
import { everythingAnsweredOnce, storedLines } from '../proofs/proof-world.ts';
import type { Customer } from './customer.ts';
import { eventually } from './eventually.ts';
import { Person } from './person.ts';
import type { World } from './world.ts';

/** A conversation with the echo, by a client that sends each text once. */
export interface Talk {
  sessionId: string;
  person: Person;
  /** What was written, in its order. */
  written: string[];
}

export async function startTalk(customer: Customer): Promise<Talk> {
  // More at once than there are warm rooms: a caller who hears 503 comes again.
  const { sessionId, ...connection } = await eventually('a session is created', () => customer.createSession());
  const person = await Person.join(connection);
  await person.hears(/^Welcome/);
  return { sessionId, person, written: [] };
}

export async function write({ person, written }: Talk, text: string): Promise<void> {
  written.push(text);
  await person.room.localParticipant?.sendText(text, { topic: 'lk.chat' });
}

export const isAnswered = (talk: Talk, text: string): boolean => talk.person.texts().includes(`You said: ${text}`);

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
  const [greeting, ...answers] = talk.person.texts();
  expect(greeting).toBe('Welcome to the echo.');
  // What only the former host heard may be answered after what its successor heard.
  expect([...answers].sort()).toEqual(talk.written.map((text) => `You said: ${text}`).sort());
  const greetings = (await storedLines(world, talk.sessionId)).filter(({ content }) => /^Welcome/.test(content));
  expect(greetings).toHaveLength(1);
}
