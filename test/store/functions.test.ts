import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../services/store/database.ts';
import {
  hashOfAll,
  readFunctions,
  readReleases,
  type SqlFunction,
} from '../../services/store/migrate/function-files.ts';
import { type Migrated, migrate } from '../../services/store/migrate.ts';
import { sql } from '../../services/store/sql.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';

const run = promisify(execFile);
const ours = new URL('../../services/store/functions/', import.meta.url);

describe('in a database', () => {
  let postgres: TestPostgres;
  let admin: Database;
  let folder: string;

  beforeEach(async () => {
    postgres = await startPostgres();
    admin = openDatabase(postgres.adminUrl, { maxConnections: 1 });
    folder = await mkdtemp(join(tmpdir(), 'parley-functions-'));
    await cp(ours, folder, { recursive: true });
  });

  afterEach(async () => {
    await admin?.close();
    await postgres?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const migrateTo = (functions: string | URL = folder): Promise<Migrated> =>
    migrate({
      adminUrl: postgres.adminUrl,
      serviceUrl: `postgres://parley_service:for-tests-only@127.0.0.1:${postgres.port}/postgres`,
      functions: typeof functions === 'string' ? pathToFileURL(`${functions}/`) : functions,
    });
  const write = (path: string, text: string) => writeFile(join(folder, path), text);
  const nextRelease = () => writeFile(join(folder, 'releases.txt'), 'another\n', { flag: 'a' });
  const definition = async (name: string) =>
    (await admin.query<{ text: string }>(sql`select pg_get_functiondef(${name}::regproc) as text`))[0]?.text;
  const five = (comment: string, value: number) => `-- ${comment}
create or replace function five() returns integer language sql as $$ select ${value} $$;
revoke all on function five() from public;
`;

  test('each has a file and each file its function, with its hash and its comment', async () => {
    await migrateTo(ours);
    const files = await readFunctions(ours);
    const stored = await admin.query(sql`
      select f.signature, f.hash, obj_description(p.oid, 'pg_proc') as comment from pg_proc p
      left join functions f on to_regprocedure(f.signature) = p.oid
      where p.pronamespace = 'public'::regnamespace order by f.signature`);
    const wanted = files.map(({ signature, hash, comment }) => ({ signature, hash, comment }));
    expect(stored).toEqual(wanted.sort((a, b) => (a.signature < b.signature ? -1 : 1)));
  });

  test('one that changed is applied again, one that has no file any more is dropped, the others are left alone', async () => {
    await write('five.sql', five('Five.', 5));
    expect(await migrateTo()).toMatchObject({ functions: 'applied' });
    expect(await migrateTo()).toEqual({ migrations: [], functions: 'current' });
    const written = () => admin.query(sql`select signature, at from functions where signature <> 'five()' order by 1`);
    const before = await written();
    await write('five.sql', five('Nearly five.', 4));
    expect(await migrateTo()).toMatchObject({ functions: 'applied' });
    expect(await admin.query(sql`select five(), obj_description('five'::regproc) as comment`)).toEqual([
      { five: 4, comment: 'Nearly five.' },
    ]);
    await rm(join(folder, 'five.sql'));
    expect(await migrateTo()).toMatchObject({ functions: 'applied' });
    expect(await admin.query(sql`select to_regproc('five') as five`)).toEqual([{ five: null }]);
    expect(await written()).toEqual(before);
  });

  test('one that fails is named, and none is changed', async () => {
    await migrateTo(ours);
    const before = await definition('locate_key');
    const text = await readFile(join(folder, 'locate_key.sql'), 'utf8');
    await write('locate_key.sql', text.replace('select k.tenant_id', 'select  k.tenant_id'));
    const room = await readFile(join(folder, 'locate_room.sql'), 'utf8');
    await write('locate_room.sql', room.replace('tenant_id uuid', 'tenant text'));
    await expect(migrateTo()).rejects.toThrow(
      /^The change of functions failed and changed nothing: locate_room\.sql: cannot change return type/,
    );
    expect(await definition('locate_key')).toBe(before);
  });

  test('those of a newer release stay when an older one prepares the database again', async () => {
    await migrateTo(ours);
    await write('five.sql', five('Five.', 5));
    const text = await readFile(join(folder, 'locate_key.sql'), 'utf8');
    await write('locate_key.sql', text.replace('select k.tenant_id', 'select  k.tenant_id'));
    await nextRelease();
    expect(await migrateTo()).toMatchObject({ functions: 'applied' });
    const newer = await definition('locate_key');
    expect(await migrateTo(ours)).toEqual({ migrations: [], functions: 'newer' });
    expect(await definition('locate_key')).toBe(newer);
    expect(await admin.query(sql`select five()`)).toEqual([{ five: 5 }]);
    expect(await migrateTo()).toEqual({ migrations: [], functions: 'current' });
  });

  test('an older release that calls what a newer one has dropped is told so', async () => {
    await migrateTo(ours);
    await rm(join(folder, 'locate_key.sql'));
    await nextRelease();
    await migrateTo();
    await expect(migrateTo(ours)).rejects.toThrow(/too new for this one.*: locate_key\(bytea\) went since/);
  });
});

test('no migration makes a function: its file would not be what is in the database', async () => {
  const folder = new URL('../../services/store/migrations/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  const texts = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(new URL(name, folder), 'utf8') })),
  );
  expect(texts.filter(({ text }) => /create (or replace )?function/i.test(text)).map(({ name }) => name)).toEqual([]);
});

describe('of all functions', () => {
  const services = new URL('../../services/', import.meta.url);
  const nameOf = ({ signature }: SqlFunction) => signature.slice(0, signature.indexOf('('));

  /** The text of everything of this release that may call a function: its own is not among it. */
  async function callersOf(name: string, functions: readonly SqlFunction[]): Promise<string> {
    const paths = (await readdir(services, { recursive: true })).filter((path) => path.endsWith('.ts'));
    const code = await Promise.all(paths.map((path) => readFile(new URL(path, services), 'utf8')));
    const others = functions.filter((one) => !one.isKept && nameOf(one) !== name);
    return [...code, ...others.map(({ text }) => text.replaceAll(/^--.*$/gm, ''))].join('\n');
  }

  /** A function of a trigger or a policy is called by it, which its own file makes. */
  const isOfOwnFile = (name: string, functions: readonly SqlFunction[]) =>
    functions.some(
      (one) =>
        nameOf(one) === name &&
        new RegExp(`execute function ${name}\\(\\)|^create policy .*\\b${name}\\(\\)`, 'm').test(one.text),
    );

  const isCalled = async (name: string, functions: readonly SqlFunction[]) =>
    isOfOwnFile(name, functions) || new RegExp(`\\b${name}\\(`).test(await callersOf(name, functions));

  test('nothing of this release calls those that are kept for the one before, and something each of the others', async () => {
    const functions = await readFunctions(ours);
    const live = new Set(functions.filter(({ isKept }) => !isKept).map(nameOf));
    // One that is kept may have the name of a live one, with other arguments.
    const kept = functions.map(nameOf).filter((name) => !live.has(name));
    for (const name of kept) expect([name, await isCalled(name, functions)]).toEqual([name, false]);
    for (const name of live) expect([name, await isCalled(name, functions)]).toEqual([name, true]);
  });
});

describe('releases.txt', () => {
  test('ends with the functions as they are', async () => {
    const now = hashOfAll(await readFunctions(ours));
    expect(
      (await readReleases(ours)).at(-1),
      `functions have changed: run npm run generate, which appends the line ${now} to services/store/functions/releases.txt`,
    ).toBe(now);
  });

  test('has every line that it ever had, so that a later release has a higher number', async () => {
    const cwd = fileURLToPath(ours);
    const { stdout } = await run('git', ['log', '-p', '--format=', '--', 'releases.txt'], { cwd });
    const ever = stdout.split('\n').filter((line) => /^\+[0-9a-f]{64}$/.test(line));
    const now = new Set(await readReleases(ours));
    expect(ever.length).toBeGreaterThan(0);
    const gone = ever.map((line) => line.slice(1)).filter((line) => !now.has(line));
    expect(gone, 'put these lines back where they were, and append what is new').toEqual([]);
  });
});
