import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { sha256 } from '../../services/core/sessions/ids.ts';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { sql } from '../../services/store/sql.ts';
import { startPostgres, type TestPostgres } from '../support/databases/postgres.ts';

const run = promisify(execFile);
const scripts = join(import.meta.dirname, '../../scripts');

let postgres: TestPostgres;
let superuser: Database;
let environment: Record<string, string>;

beforeEach(async () => {
  await stop();
  postgres = await startPostgres();
  superuser = openDatabase(postgres.adminUrl, { maxConnections: 1 });
  const service = new URL(postgres.adminUrl);
  Object.assign(service, { username: 'parley', password: 'service' });
  environment = {
    PARLEY_DATABASE_ADMIN_URL: postgres.adminUrl,
    PARLEY_DATABASE_URL: service.href,
    PARLEY_TENANT: 'acme',
    PARLEY_MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  };
});
afterAll(stop);

async function stop() {
  await superuser?.close();
  await postgres?.[Symbol.asyncDispose]();
}

/** The job of a stack that is configured so. */
const prepare = async (firstOwner?: string) =>
  (
    await run(process.execPath, [join(scripts, 'prepare.ts')], {
      env: { ...environment, ...(firstOwner && { PARLEY_FIRST_OWNER: firstOwner }) },
    })
  ).stdout;

/** What the command of the stack's output prints. @throws with what it says on standard error */
async function shown(verb: 'show' | 'renew' = 'show') {
  const args = [join(scripts, 'parley.ts'), 'invitation', verb, '--url', 'https://acme.example.com'];
  const { stdout } = await run(process.execPath, args, { env: environment });
  const token = /^Link +https:\/\/acme\.example\.com\/invitation#(inv_[A-Za-z0-9_-]{43})$/m.exec(stdout)?.[1] ?? '';
  return { owner: /^Owner +(.*)$/m.exec(stdout)?.[1], token };
}

const invitations = () =>
  superuser.query<{ email: string; role: string; token_hash: Buffer; all: string }>(
    sql`select email, role, token_hash, to_json(i)::text as all from invitations i`,
  );

test('the first owner is invited once, and further runs change nothing', async () => {
  expect(await prepare('Owner@acme.example.com')).toContain('The first owner is invited');
  const [before] = await invitations();
  expect(before).toMatchObject({ email: 'owner@acme.example.com', role: 'owner' });
  const again = await Promise.all([prepare('Owner@acme.example.com'), prepare('owner@acme.example.com')]);
  expect(again.join()).not.toContain('invited');
  expect(await invitations()).toEqual([before]);
});

test('its link is for the one who asks by the command, and stands nowhere else in the clear', async () => {
  const said = await prepare('owner@acme.example.com');
  const { owner, token } = await shown();
  expect(owner).toBe('owner@acme.example.com');
  const [row] = await invitations();
  expect(row?.token_hash).toEqual(sha256(token));
  expect(said + row?.all).not.toContain(token);
  expect(said).not.toContain('owner@');
  expect((await shown()).token).toBe(token);
});

test("the services' role invites nobody but an owner before one has come, and the role for persons anybody", async () => {
  environment.PARLEY_PEOPLE_KEYS = `k1:${randomBytes(32).toString('base64')}`;
  await prepare('owner@acme.example.com');
  const { token } = await shown('renew');
  const [tenant] = await superuser.query<{ id: string }>(sql`select id from tenants`);
  const service = openDatabase(environment.PARLEY_DATABASE_URL ?? '', { maxConnections: 1 });
  const invite = (email: string, role: string) =>
    service.asTenant(tenant?.id ?? '', (tx) =>
      tx.query(sql`insert into invitations (tenant_id, email, role, token_hash, sealed, expires_at)
        values (${tx.tenant}, ${email}, ${role}, ${randomBytes(32)}, 'sealed', now()) returning role`),
    );
  try {
    await expect(invite('viewer@example.com', 'viewer')).rejects.toThrow(/row-level security/);
    expect(await invite('other@example.com', 'owner')).toEqual([{ role: 'owner' }]);
    const raised = sql`update invitations set token_hash = ${randomBytes(32)} returning 1`;
    expect(await service.asTenant(tenant?.id ?? '', (tx) => tx.query(raised))).toEqual([]);
    await superuser.query(sql`update invitations set accepted_at = now() where token_hash = ${sha256(token)}`);
    await expect(invite('third@example.com', 'owner')).rejects.toThrow(/row-level security/);
    expect(await prepare('fourth@example.com')).not.toContain('invited');
  } finally {
    await service.close();
  }
});

test('a new link takes the place of the old one', async () => {
  await prepare('owner@acme.example.com');
  const { token: old } = await shown();
  await superuser.query(sql`update invitations set expires_at = now() - interval '1 second'`);
  await expect(shown()).rejects.toThrow(/has expired: .* invitation renew .* a new link/);
  const { token } = await shown('renew');
  expect(token).not.toBe(old);
  expect((await invitations()).map(({ token_hash }) => token_hash)).toEqual([sha256(token)]);
});

test('another address withdraws the invitation, until an owner has accepted', async () => {
  await prepare('tpyo@acme.example.com');
  await prepare('owner@acme.example.com');
  expect((await invitations()).map(({ email }) => email)).toEqual(['owner@acme.example.com']);
  await superuser.query(sql`update invitations set accepted_at = now()`);
  expect(await prepare('somebody@else.example.com')).not.toContain('invited');
  expect(await invitations()).toHaveLength(1);
  await expect(shown()).rejects.toThrow(/No invitation is open/);
});

test('without an address nobody is invited, and one without master keys is refused', async () => {
  await prepare();
  expect(await invitations()).toEqual([]);
  await expect(shown()).rejects.toThrow(/parley:firstOwner/);
  delete environment.PARLEY_MASTER_KEYS;
  await expect(prepare('owner@acme.example.com')).rejects.toThrow(/PARLEY_MASTER_KEYS is missing/);
  await expect(prepare('owner')).rejects.toThrow(/PARLEY_FIRST_OWNER/);
});
