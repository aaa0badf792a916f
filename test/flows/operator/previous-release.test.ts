import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../services/store/database.ts';
import { readFunctions } from '../../../services/store/migrate/function-files.ts';
import { migrate } from '../../../services/store/migrate.ts';
import { sql } from '../../../services/store/sql.ts';
import { describeSchema } from '../../support/databases/schema.ts';
import { eventually } from '../../support/eventually.ts';
import { isAnswered, startTalk, write } from '../../support/people/talk.ts';
import { checkOutPreviousRelease, type PreviousRelease } from '../../support/world/previous-release.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let previous: PreviousRelease;
let world: World;

beforeAll(async () => {
  previous = await checkOutPreviousRelease();
  // The agents of the release before: what this one's may say is not known to it.
  world = await startWorld({ code: previous.folder, agents: `${previous.folder}/test/agents`, ownPostgres: true });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await previous?.[Symbol.asyncDispose]();
});

/** By whichever services run: created, answered, ended, and finished by the worker. */
async function converse(text: string): Promise<void> {
  const customer = await world.customer('echo');
  const talk = await startTalk(customer);
  await write(talk, text);
  await eventually(`"${text}" is answered`, () => isAnswered(talk, text));
  await customer.endSession(talk.sessionId);
  await talk.person.leave();
  await eventually('the session is finished', async () => {
    const [row] = await world.admin.query<{ done: boolean }>(
      sql`select finished_at is not null as done from sessions where id = ${talk.sessionId}`,
    );
    return row?.done;
  });
}

const prepareAsBefore = (database: string) =>
  previous.prepare({
    PARLEY_DATABASE_ADMIN_URL: inDatabase(world.adminUrl, database),
    PARLEY_DATABASE_URL: inDatabase(world.serviceUrl, database),
    PARLEY_TENANT: 'local',
    PARLEY_FEATURES: 'webhook',
  });

const inDatabase = (url: string, database: string) => url.replace(/[^/]+$/, database);

test("the services of the release before hold conversations on this one's database, and again after going back", async () => {
  await converse('before the rollout is over');
  const { functions, tables, columns } = await describeSchema(world.adminUrl);
  await prepareAsBefore('postgres');
  expect(await describeSchema(world.adminUrl)).toMatchObject({ functions, tables, columns });
  await converse('after going back');
  await world.restartWithOurCode();
  await migrate({ adminUrl: world.adminUrl, serviceUrl: world.serviceUrl });
  await converse('and forward again');
});

test('every function that the release before calls is there, is given the same and gives the same', async () => {
  await world.admin.query(sql`create database before`);
  await prepareAsBefore('before');
  const before = await functionsOf('before', await keptBefore());
  expect(before.length).toBeGreaterThan(20);
  expect(await functionsOf('postgres', [])).toEqual(expect.arrayContaining(before));
});

/** What the release before did not call itself any more. */
async function keptBefore(): Promise<string[]> {
  const folder = join(previous.folder, 'services/store/functions/');
  if (!existsSync(folder)) return [];
  return (await readFunctions(pathToFileURL(folder))).filter(({ isKept }) => isKept).map(({ signature }) => signature);
}

async function functionsOf(database: string, without: readonly string[]): Promise<unknown[]> {
  const db = openDatabase(inDatabase(world.adminUrl, database), { maxConnections: 1 });
  const functions = sql`
    select p.oid::regprocedure::text as signature, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result
    from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from unnest(${without}::text[]) s where to_regprocedure(s) = p.oid)`;
  return db.query(functions).finally(() => db.close());
}
