import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inDoubt } from '../../services/agent/conversation/history.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import {
  addPersonText,
  addReply,
  type Draft,
  keepDoubt,
  keepDraft,
  listMessages,
  type Position,
} from '../../services/store/tables/messages.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };
let lease: { tenant: string; session: string; epoch: number };

const draft: Draft = { segment: 'seg_1', content: 'Once there was a miller. He had', told: 12, complete: false };

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('drafts');
});
afterAll(() => store?.[Symbol.asyncDispose]());

beforeEach(async () => {
  const { session_id: session } = await insertSession(store.db, newSession(owner));
  lease = { tenant: owner.tenant, session, epoch: 0 };
  const text = {
    tenant: owner.tenant,
    session,
    key: 'text',
    content: 'tell me',
    at: new Date(),
    mode: 'TEXT',
  } as const;
  expect(await addPersonText(store.db, text)).toEqual({ sequence: 1, is_new: true });
});

const kept = async () =>
  (await store.db.asTenant(lease.tenant, (tx) => listMessages(tx, lease.session))).find(
    ({ sequence }) => sequence === 1,
  )?.draft;

const reply = (content: string, closesTurn: boolean) =>
  addReply(store.db, {
    ...{ ...lease, turn: 1, content, closesTurn, interrupted: !closesTurn, tokens: 0, at: new Date(), mode: 'TEXT' },
    key: `reply ${randomUUID()}`,
  });

test('is kept beside its text, and what is kept later takes its place', async () => {
  await keepDraft(store.db, lease, 1, draft);
  expect(await kept()).toEqual(draft);
  await keepDraft(store.db, lease, 1, { ...draft, complete: true });
  expect(await kept()).toEqual({ ...draft, complete: true });
  await keepDraft(store.db, lease, 1, null);
  expect(await kept()).toBeNull();
});

test('of a host that has the session no longer is not kept', async () => {
  await keepDraft(store.db, { ...lease, epoch: 7 }, 1, draft);
  expect(await kept()).toBeNull();
});

test('goes with the reply that closes its turn, and does not come back', async () => {
  await keepDraft(store.db, lease, 1, draft);
  await reply('Once there was a miller.', true);
  expect(await kept()).toBeNull();
  await keepDraft(store.db, lease, 1, draft);
  expect(await kept()).toBeNull();
});

test('goes with the part of a reply that is stored: a successor finds either, never both', async () => {
  await keepDraft(store.db, lease, 1, draft);
  await reply('Once there was', false);
  expect(await kept()).toBeNull();
});

test('stays when nothing of the reply was heard, and a successor goes on from it', async () => {
  await keepDraft(store.db, lease, 1, draft);
  await reply('', false);
  expect(await kept()).toEqual(draft);
});

describe('what may not have arrived', () => {
  const doubts = () =>
    store.db.asTenant(lease.tenant, async (tx) => inDoubt({ messages: await listMessages(tx, lease.session) }));
  const doubt = (position: Position, of: typeof lease = lease, words: Draft | null = draft) =>
    store.db.asTenant(of.tenant, (tx) => keepDoubt(tx, of, position, words));
  const said = (turn: number, key: string) =>
    addReply(store.db, {
      ...{ ...lease, turn, content: 'Hello.', closesTurn: true, interrupted: false, tokens: 0, at: new Date() },
      ...{ mode: 'TEXT', key },
    });

  test('is kept for the next host beside the text that it answers, or beside a line of the agent, until it is known to', async () => {
    await said(0, 'greeting');
    await said(1, 'reply 1');
    await doubt({ turn: 1 });
    await doubt({ key: 'greeting' });
    expect(await doubts()).toEqual([
      { position: { turn: 1 }, draft },
      { position: { key: 'greeting' }, draft },
    ]);
    await doubt({ turn: 1 }, lease, null);
    expect(await doubts()).toEqual([{ position: { key: 'greeting' }, draft }]);
  });

  test('is not told by a host that has the session no longer, nor of a text that waits for its answer', async () => {
    await doubt({ turn: 1 });
    await said(1, 'reply 1');
    await doubt({ turn: 1 }, { ...lease, epoch: 7 });
    await doubt({ key: 'text' });
    expect(await doubts()).toEqual([]);
  });
});
