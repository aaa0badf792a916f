import type pg from 'pg';
import { orNothing } from './or-nothing.ts';

/** All tables, in place of the twenty migrations that made them before. */
export const baseline = '0020_data_model.sql';
const lastReplaced = '0020_agents_of_all_tenants.sql';
/** The last commit that has those twenty. */
const lastRelease = '84e85df';

/**
 * A database that all of the twenty have made is what the baseline makes: it counts as done.
 * @throws Error that says what to do with one that only some of them have made; nothing is changed
 */
export async function adopt(client: pg.Client, done: ReadonlySet<string>): Promise<void> {
  if (done.size === 0 || done.has(baseline)) return;
  if (!done.has(lastReplaced)) throw tooOld([...done].sort().at(-1) ?? '');
  await orNothing(client, `Taking ${baseline} for done`, async () => {
    await client.query('insert into migrations (name) values ($1)', [baseline]);
  });
}

const tooOld = (newest: string) =>
  new Error(
    `It is older than this release can work with: its newest migration is ${newest}. ` +
      `Start the release of commit ${lastRelease} on it first, then this one; nothing was changed`,
  );
