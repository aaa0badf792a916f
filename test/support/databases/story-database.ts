import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { readPeopleKeys } from '../../../services/core/account/people-keys.ts';
import { migrate } from '../../../services/store/migrate.ts';
import { peopleKeys } from '../world/master-keys.ts';
import { startPostgres, type TestPostgres, type TestPostgresOptions } from './postgres.ts';

const { databasePassword: peoplePassword } = readPeopleKeys(peopleKeys);

/** The product's schema in a database of the story's own: no other story sees what is in it. */
export interface StoryDatabase extends AsyncDisposable {
  /** As the owner of everything in it. */
  readonly adminUrl: string;
  /** As the services see it. */
  readonly serviceUrl: string;
  /** The server, if nobody else uses it. */
  readonly postgres?: TestPostgres;
}

/** Where the processes of the tests find the server that a run shares. */
const place = 'PARLEY_TEST_POSTGRES';
const template = 'parley_template';
/** Three stories at a time, each with half a dozen processes and their pools. */
const maxConnections = '400';

/**
 * Starts the PostgreSQL that the stories of a run share, and makes the template of their databases. Processes that are
 * started from here on find it. On two busy cores a database of it costs 0.1 s of CPU, a server and its migrations 0.65 s;
 * and a server that has been up for 15 s takes absence for what it is, which a story on a new one waits for.
 */
export async function startSharedPostgres(): Promise<AsyncDisposable | undefined> {
  if (process.env[place]) return undefined;
  const postgres = await startPostgres({ settings: { max_connections: maxConnections } });
  await ask(postgres.adminUrl, `create database ${template}`);
  await migrate({ ...urlsOf(postgres.adminUrl, template), peoplePassword });
  await ask(postgres.adminUrl, `alter database ${template} is_template true allow_connections false`);
  process.env[place] = postgres.adminUrl;
  return {
    [Symbol.asyncDispose]: async () => {
      delete process.env[place];
      await postgres[Symbol.asyncDispose]();
    },
  };
}

/** A copy of the template; outside of a test run, where nothing is shared, a server of the story's own. */
export async function openStoryDatabase(): Promise<StoryDatabase> {
  const shared = process.env[place];
  if (!shared) return startOwnDatabase();
  const name = `story_${randomUUID().replaceAll('-', '')}`;
  await ask(shared, `create database ${name} template ${template}`);
  return {
    ...urlsOf(shared, name),
    [Symbol.asyncDispose]: () => ask(shared, `drop database ${name} with (force)`),
  };
}

/** The same on a server that this story may stop, freeze and kill. */
export async function startOwnDatabase(
  options: TestPostgresOptions = {},
): Promise<StoryDatabase & { postgres: TestPostgres }> {
  const postgres = await startPostgres(options);
  const urls = urlsOf(postgres.adminUrl, 'postgres');
  await migrate({ ...urls, peoplePassword });
  return { ...urls, postgres, [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose]() };
}

function urlsOf(server: string, database: string): { adminUrl: string; serviceUrl: string } {
  const admin = new URL(server);
  admin.pathname = `/${database}`;
  const service = new URL(admin);
  service.username = 'parley_service';
  return { adminUrl: admin.href, serviceUrl: service.href };
}

async function ask(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
