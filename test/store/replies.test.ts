import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { addPersonText, addReply, listMessages, type Reply } from '../../services/store/tables/messages.ts';
import { findSession } from '../../services/store/tables/sessions.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('replies');
});
afterAll(() => store?.[Symbol.asyncDispose]());

/** A session in which the person has written once. */
async function aSession() {
  const { tenant } = owner;
  const { session_id: session } = await insertSession(store.db, newSession(owner));
  const common = { tenant, session, at: new Date(), mode: 'TEXT' as const };
  const text = await addPersonText(store.db, { ...common, key: randomUUID(), content: 'hello' });
  const reply: Reply = {
    ...{ ...common, key: `reply ${randomUUID()}`, content: 'Hello!', turn: text?.sequence ?? 0, tokens: 40, epoch: 0 },
    ...{ interrupted: false, closesTurn: true },
  };
  return {
    reply: (fields: Partial<Reply> = {}) => addReply(store.db, { ...reply, ...fields }),
    state: async () => {
      const row = await store.db.asTenant(tenant, (tx) => findSession(tx, session));
      const said = await store.db.asTenant(tenant, (tx) => listMessages(tx, session));
      return {
        tokens: row?.tokens,
        last: row?.last_sequence,
        said: said.map(({ sequence, content }) => [sequence, content]),
      };
    },
  };
}

test('a reply that is written again because its answer was lost is stored and counted once', async () => {
  const session = await aSession();
  const sequence = await session.reply();
  expect(await session.reply()).toBe(sequence);
  expect(await session.state()).toEqual({
    tokens: 40,
    last: 2,
    said: [
      [1, 'hello'],
      [2, 'Hello!'],
    ],
  });
});

test('so is one without words, which only closes the turn', async () => {
  const session = await aSession();
  await session.reply({ content: '' });
  await session.reply({ content: '' });
  expect(await session.state()).toMatchObject({ tokens: 40, said: [[1, 'hello']] });
});

test('the parts of an answer count each their own, the last closes the turn', async () => {
  const session = await aSession();
  await session.reply({ key: 'reply a', content: 'Wait.', closesTurn: false, tokens: 3 });
  await session.reply({ key: 'reply b', content: '', tokens: 5 });
  expect(await session.state()).toMatchObject({ tokens: 8, last: 3 });
});
