import { Person } from '../../test/support/people/person.ts';
import type { World } from '../../test/support/world/world.ts';

interface Told {
  agent: string;
  language: string;
  says: string[];
  /** Leaves it going on. */
  stays?: boolean;
}

/** What is said on the pictures: by real conversations, with the agents that come with the project. */
export const conversations: Told[] = [
  { agent: 'support', language: 'en', says: ['Hello', 'Where is my order?', "It's A-1001", 'great, thank you'] },
  { agent: 'restaurant', language: 'en', says: ['When are you open?', 'Do you have something vegan?'] },
  { agent: 'support', language: 'en', says: ['has order 1003 arrived?', 'I want to speak to a human'] },
  { agent: 'restaurant', language: 'de', says: ['Wann haben Sie geöffnet?'] },
  {
    agent: 'restaurant',
    language: 'en',
    says: ["Hi! I'd like to book a table", 'There will be four of us', 'Friday', 'half past seven', 'Ada Lovelace'],
  },
  { agent: 'support', language: 'en', says: ['Where is my order?'], stays: true },
];

/** Holds one, by a client of the room server as a customer's would be; gives the person who is still in it. */
export async function hold(world: World, { agent, language, says, stays = false }: Told): Promise<Person | undefined> {
  const customer = await world.customer(agent);
  const { sessionId, ...connection } = await customer.createSession({ language, interactionMode: 'TEXT' });
  const person = await Person.join(connection);
  await person.hears(/./);
  for (const text of says) await person.ask(text);
  if (stays) return person;
  await customer.endSession(sessionId);
  await person.leave();
  return undefined;
}
