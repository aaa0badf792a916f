import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { sql } from '../../services/store/sql.ts';
import { addPersonText, addReply, listMessages } from '../../services/store/tables/messages.ts';
import { type Owed, type OwedReply, type OwedText, writeOwed } from '../../services/store/tables/owed.ts';
import { findSession } from '../../services/store/tables/sessions.ts';
import { finishToolCall, listToolCalls, startToolCall } from '../../services/store/tables/tool-calls.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';

let store: MigratedDatabase;
let owner: { tenant: string; version: string };

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('owed');
});
afterAll(() => store?.[Symbol.asyncDispose]());

const began = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => new Date(began + seconds * 1_000);

/** A session of a host with epoch 1, and what that owes it. */
async function aSession() {
  const { tenant } = owner;
  const { session_id: session } = await insertSession(store.db, newSession(owner));
  await store.admin.query(sql`update sessions set epoch = 1 where id = ${session}`);
  const owing = { tenant, session };
  const common = { ...owing, mode: 'TEXT' as const };
  const reply = (answers: OwedReply['answers'], content: string, fields: Partial<OwedReply> = {}): OwedReply => ({
    ...{ ...common, kind: 'reply', key: `reply ${randomUUID()}`, epoch: 1, content, at: at(10), answers },
    ...{ interrupted: false, closesTurn: true, ...fields },
  });
  return {
    id: session,
    text: (key: string, content: string): OwedText => ({ ...common, kind: 'text', key, content, at: at(5) }),
    reply,
    write: (...owed: Owed[]) => writeOwed(store.db, owing, owed),
    taken: () => store.admin.query(sql`update sessions set epoch = 2 where id = ${session}`),
    hear: (key: string, content: string) => addPersonText(store.db, { ...common, key, content, at: at(7) }),
    /** By the successor. */
    answer: (turn: number, content: string, fields: { closesTurn?: boolean; seconds?: number } = {}) =>
      addReply(store.db, {
        ...{ ...common, key: `reply ${randomUUID()}`, content, turn, tokens: 40, epoch: 2, interrupted: false },
        ...{ at: at(fields.seconds ?? 20), closesTurn: fields.closesTurn ?? true },
      }),
    said: async () =>
      (await store.db.asTenant(tenant, (tx) => listMessages(tx, session))).map(
        ({ sequence, turn, content, answered_at }) => [sequence, turn, content, answered_at !== null],
      ),
    row: () => store.db.asTenant(tenant, (tx) => findSession(tx, session)),
    calls: () => store.db.asTenant(tenant, (tx) => listToolCalls(tx, session)),
  };
}

test('what is owed is stored in its order, each reply with the text that it answers', async () => {
  const session = await aSession();
  const [one, two] = [session.text('a', 'one'), session.text('b', 'two')];
  expect(await session.write(one, session.reply('a', 'One.'), two, session.reply('b', 'Two.'))).toBe(4);
  expect(await session.said()).toEqual([
    [1, 1, 'one', true],
    [2, 1, 'One.', false],
    [3, 3, 'two', true],
    [4, 3, 'Two.', false],
  ]);
});

test('told again it is there already, and nothing of it is billed', async () => {
  const session = await aSession();
  const owed = [session.text('a', 'one'), session.reply('a', 'One.'), session.reply(0, 'A line.', { key: 'line' })];
  await session.write(...owed);
  const [said, row] = [await session.said(), await session.row()];
  expect(await session.write(...owed)).toBe(0);
  expect(await session.said()).toEqual(said);
  expect(await session.row()).toEqual(row);
  expect(row).toMatchObject({ last_sequence: 3, turns: 1, tokens: 0 });
});

test('a reply without words closes the turn that it names', async () => {
  const session = await aSession();
  await session.write(session.text('a', 'one'), session.reply('a', ''));
  expect(await session.said()).toEqual([[1, 1, 'one', true]]);
});

test('a text that nobody has answered waits for its answer', async () => {
  const session = await aSession();
  await session.write(session.text('a', 'one'));
  expect(await session.said()).toEqual([[1, 1, 'one', false]]);
});

describe('after a takeover', () => {
  test('texts and replies that nobody else has are added', async () => {
    const session = await aSession();
    await session.taken();
    expect(await session.write(session.text('a', 'one'), session.reply('a', 'One.'))).toBe(2);
    expect(await session.said()).toMatchObject([[1, 1, 'one', true], { 2: 'One.' }]);
    expect(await session.row()).toMatchObject({ epoch: 2, tokens: 0 });
  });

  test('a text that the successor has heard too stays as it has stored it', async () => {
    const session = await aSession();
    await session.taken();
    await session.hear('a', 'one');
    expect(await session.write(session.text('a', 'one'))).toBe(0);
    expect(await session.said()).toEqual([[1, 1, 'one', false]]);
  });

  test("a reply is added to a text that the successor has not answered, and not beside the successor's", async () => {
    const session = await aSession();
    await session.taken();
    const [open, answered] = [await session.hear('a', 'one'), await session.hear('b', 'two')];
    await session.answer(answered?.sequence ?? 0, 'Two, by the successor.');
    const owed = [session.reply(open?.sequence ?? 0, 'One.'), session.reply('b', 'Two.')];
    expect(await session.write(...owed)).toBe(1);
    expect((await session.said()).map(([, , content]) => content)).toEqual([
      'one',
      'two',
      'Two, by the successor.',
      'One.',
    ]);
  });

  test('nor is it when the successor is in the middle of its own', async () => {
    const session = await aSession();
    await session.taken();
    const text = await session.hear('a', 'one');
    await session.answer(text?.sequence ?? 0, 'Let me see.', { closesTurn: false });
    expect(await session.write(session.reply('a', 'One.'))).toBe(0);
    expect(await session.said()).toMatchObject([[1, 1, 'one', false], { 2: 'Let me see.' }]);
  });

  test('the end of an answer whose beginning was stored before is added', async () => {
    const session = await aSession();
    await session.write(session.text('a', 'one'), session.reply('a', 'Wait.', { closesTurn: false, at: at(8) }));
    await session.taken();
    expect(await session.write(session.reply('a', 'One.'))).toBe(1);
    expect((await session.said())[0]).toEqual([1, 1, 'one', true]);
  });
});

test.for(['ended', 'erased'])('a session that is %s takes nothing any more', async (how) => {
  const session = await aSession();
  const gone =
    how === 'ended'
      ? sql`update sessions set status = 'ended', ended_at = now(), end_reason = 'client_ended' where id = ${session.id}`
      : sql`delete from sessions where id = ${session.id}`;
  await store.admin.query(gone);
  expect(await session.write(session.text('a', 'one'), session.reply('a', 'One.'))).toBeNull();
  expect(await session.said()).toEqual([]);
});

test('what came of a tool call is stored, unless somebody has said so already', async () => {
  const session = await aSession();
  const { tenant } = owner;
  const [first, second] = [randomUUID(), randomUUID()];
  const call = { tenant, session: session.id, epoch: 1, turn: 0, name: 'look_up', arguments: {} };
  await startToolCall(store.db, { ...call, id: first, ordinal: 1 });
  await startToolCall(store.db, { ...call, id: second, ordinal: 2 });
  await finishToolCall(store.db, { tenant, id: second, status: 'unknown', result: 'nobody knows' });
  const result = (id: string) =>
    ({ kind: 'result', tenant, session: session.id, call: id, status: 'ok', result: '42' }) as const;
  expect(await session.write(result(first), result(second))).toBe(1);
  expect((await session.calls()).map(({ status, result: came }) => [status, came])).toEqual([
    ['ok', '42'],
    ['unknown', 'nobody knows'],
  ]);
});
