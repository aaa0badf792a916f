import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Transcript } from '../../services/agent/conversation/transcript.ts';
import { MakingUp } from '../../services/agent/owed/making-up.ts';
import { OwedFile } from '../../services/agent/owed/owed-file.ts';
import { endings } from '../../services/agent/owed/records.ts';
import { insertSession } from '../../services/core/channels/new-session.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import type { Database } from '../../services/store/database.ts';
import { sql } from '../../services/store/sql.ts';
import { listMessages } from '../../services/store/tables/messages.ts';
import type { OwedText } from '../../services/store/tables/owed.ts';
import { findSession } from '../../services/store/tables/sessions.ts';
import { type MigratedDatabase, newSession, startMigratedDatabase } from '../support/databases/migrated-database.ts';
import { masterKeys } from '../support/world/master-keys.ts';

const vault = makeVault(masterKeys);
const another = makeVault(`k9:${Buffer.alloc(32, 9).toString('base64')}`);

let store: MigratedDatabase;
let owner: { tenant: string; version: string };
let session: string;
let folder: string;
const open: OwedFile[] = [];

beforeAll(async () => {
  store = await startMigratedDatabase();
  owner = await store.addTenant('making-up');
});
afterAll(() => store?.[Symbol.asyncDispose]());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-owed-'));
  ({ session_id: session } = await insertSession(store.db, newSession(owner)));
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((file) => file.close()));
  await rm(folder, { recursive: true, force: true });
});

/** What a host keeps; it lives until its file is closed. */
function aHost(key = vault) {
  const file = new OwedFile({ folder, vault: key, onProblem: () => undefined });
  open.push(file);
  const keep = (content: string) => {
    const at = new Date();
    const owed: OwedText = { kind: 'text', tenant: owner.tenant, session, key: content, content, at, mode: 'TEXT' };
    return file.keep(owed);
  };
  return { file, keep };
}

function aLooker({ db = store.db, own = aHost().file }: { db?: Pick<Database, 'query'>; own?: OwedFile } = {}) {
  const told: string[] = [];
  const warned: string[] = [];
  const note = (_: unknown, text: string) => void warned.push(text);
  const making = new MakingUp({
    ...{ db: db as Database, vault, folder, own },
    notifier: { tell: (_, payload) => void told.push(payload) },
    logger: { info: () => undefined, warn: note, error: note } as never,
  });
  return { look: () => making.look(), told, warned };
}

const stored = async () =>
  (await store.db.asTenant(owner.tenant, (tx) => listMessages(tx, session))).map(({ content }) => content);

test('what a host that is gone has left is stored, its file removed, and who has the session by then is told', async () => {
  const gone = aHost();
  await Promise.all([gone.keep('one').written, gone.keep('two').written]);
  await gone.file.close();
  const { look, told } = aLooker();
  await look();
  expect(await stored()).toEqual(['one', 'two']);
  expect(await readdir(folder)).toEqual([]);
  expect(told).toEqual([`text ${session}`]);
});

test('the file of a host that lives is left alone', async () => {
  await aHost().keep('one').written;
  await aLooker().look();
  expect(await stored()).toEqual([]);
  expect(await readdir(folder)).toHaveLength(2);
});

test('what is sealed with another key stays in its file, and is said once', async () => {
  const gone = aHost(another);
  await gone.keep('one').written;
  await gone.file.close();
  const { look, warned } = aLooker();
  await look();
  await look();
  expect(warned).toHaveLength(1);
  expect([await stored(), (await readdir(folder)).length]).toEqual([[], 1]);
});

test('a file that cannot be read is said once, and holds up no other', async () => {
  const gone = aHost();
  await gone.keep('one').written;
  await gone.file.close();
  // A folder cannot be read as a file, by nobody; its name comes first.
  await mkdir(join(folder, `0${endings.file}`));
  const { look, warned } = aLooker();
  await look();
  await look();
  expect(await stored()).toEqual(['one']);
  expect(warned).toEqual(['what a host owed cannot be read, and stays']);
});

test('a file of which nobody can say whether its host lives stays, and an operator is told once what to do', async () => {
  const gone = aHost();
  await gone.keep('one').written;
  await gone.file.close();
  const [file = ''] = await readdir(folder);
  const presence = join(folder, file.replace(endings.file, endings.presence));
  await symlink(presence, presence);
  const { look, warned } = aLooker();
  await look();
  await look();
  expect(warned).toEqual([expect.stringMatching(/cannot be told, and its file stays: give the folder/)]);
  expect(await stored()).toEqual([]);
  await rm(presence);
  await look();
  expect(await stored()).toEqual(['one']);
});

test('while the database is away everything stays for the next look', async () => {
  const gone = aHost();
  await gone.keep('one').written;
  await gone.file.close();
  let away = true;
  const query: Database['query'] = (asked) => {
    if (away) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return store.db.query(asked);
  };
  const { look, warned } = aLooker({ db: { query } });
  await look();
  expect([await stored(), (await readdir(folder)).length, warned]).toEqual([[], 1, []]);
  away = false;
  await look();
  expect([await stored(), await readdir(folder)]).toEqual([['one'], []]);
});

test('what a conversation has left behind is stored by its own host, which lives', async () => {
  const host = aHost();
  const kept = host.keep('one');
  await kept.written;
  kept.leave();
  await aLooker({ own: host.file }).look();
  expect(await stored()).toEqual(['one']);
  await vi.waitFor(async () => expect(await readdir(folder)).toEqual([]));
});

test('what a host said while the database was away is late evidence when another has the session by then', async () => {
  let away = true;
  const query: Database['query'] = async (asked) => {
    if (away) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return store.db.query(asked);
  };
  const stale: true[] = [];
  const transcript = new Transcript(
    { db: { query } as Database, notifier: { tell: () => undefined }, now: () => new Date(), owed: aHost().file },
    { tenant_id: owner.tenant, session_id: session, epoch: 0 },
    { stale: () => void stale.push(true), problem: () => undefined },
  );
  const text = await transcript.heard({ key: 'a', text: 'one', at: new Date(), mode: 'TEXT' } as never);
  const said = { content: 'One.', mode: 'TEXT', interrupted: false, closesTurn: true, tokens: 40 } as const;
  const written = transcript.said(text, said);
  await store.admin.query(sql`update sessions set epoch = 1 where id = ${session}`);
  away = false;
  await written;
  expect([await stored(), stale]).toEqual([['one', 'One.'], [true]]);
  const row = await store.db.asTenant(owner.tenant, (tx) => findSession(tx, session));
  expect(row).toMatchObject({ epoch: 1, tokens: 0 });
});
