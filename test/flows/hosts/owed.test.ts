import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { everythingAnsweredOnce, storedLines } from '../../proofs/proof-world.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startWorld } from '../../support/world/world.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-owed-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** How many writes the file of the only host holds. */
async function kept(): Promise<number> {
  const name = (await readdir(folder)).find((one) => one.endsWith('.owed'));
  return name ? (await readFile(join(folder, name), 'utf8')).split('\n').length - 1 : 0;
}

test('what was answered while PostgreSQL was away is stored by the host that starts next, when the one that owed it was killed', async () => {
  await using world = await startWorld({ workers: 0, ownPostgres: true, settings: { owedFolder: folder } });
  const customer = await world.customer();
  const { sessionId, ...connection } = await customer.createSession();
  await using person = await Person.join(connection);
  await person.hears(/^Welcome/);
  await person.ask('before', /^You said: before$/);
  await everythingAnsweredOnce(world, sessionId, ['before']);
  expect(await readdir(folder)).toEqual([]);

  await world.postgres.stop();
  const texts = Array.from({ length: 5 }, (_, index) => `without a database ${index}`);
  for (const text of texts) await person.ask(text, new RegExp(`^You said: ${text}$`));
  await eventually('texts and replies are on the disk', async () => (await kept()) === 2 * texts.length);
  await world.hosts[0]?.kill();
  await world.postgres.start();
  await world.startHost();

  expect(await readdir(folder)).toEqual([]);
  const said = (await storedLines(world, sessionId)).map(({ content }) => content);
  expect(said).toEqual([
    'Welcome to the echo.',
    ...['before', ...texts].flatMap((text) => [text, `You said: ${text}`]),
  ]);
  await eventually(
    'the successor is in the room',
    async () =>
      (
        await world.admin.query(
          sql`select 1 from sessions where id = ${sessionId} and epoch > 1 and unattended_since is null`,
        )
      ).length > 0,
  );
  await person.ask('after', /^You said: after$/);
  await everythingAnsweredOnce(world, sessionId, ['before', ...texts, 'after']);
  expect(person.texts().filter((text) => text.includes('without'))).toHaveLength(texts.length);
});
