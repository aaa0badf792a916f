/** Job of a stack: brings the database to this code's schema, and the tenant, its features and its first owner's invitation into it. May run again at any time. */

import type { DeclaredTelephone } from '../services/contract/declared-telephone.ts';
import { makeVault } from '../services/core/credentials/vault.ts';
import { inviteFirstOwner } from '../services/core/members/first-owner.ts';
import { eraseAgain } from '../services/core/sessions/erase-again.ts';
import { declareTelephone } from '../services/core/telephony/declare-telephone.ts';
import { takeVariables } from '../services/settings/take.ts';
import { openDatabase } from '../services/store/database.ts';
import type { Migrated } from '../services/store/migrate.ts';
import { peopleDatabaseUrl } from '../services/store/people-database.ts';
import { locateTenant } from '../services/store/tables/tenants.ts';
import { claimDatabase } from './prepare/claim-database.ts';
import { renewOwnerPassword } from './prepare/renew-owner-password.ts';
import { type FirstOwner, readSettings } from './prepare/settings.ts';
import { type DatabaseUrls, prepareDatabase } from './start/database.ts';

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { urls, formerOwnerPasswords, serverUrl, guests, tenant, telephone, firstOwner } = readSettings(
    takeVariables(process.env),
  );
  if (serverUrl !== undefined) {
    await claimDatabase({ serverUrl, adminUrl: urls.adminUrl });
    for (const adminUrl of guests.adminUrls)
      await claimDatabase({ serverUrl, adminUrl, connections: guests.connections });
  }
  if (await renewOwnerPassword({ adminUrl: urls.adminUrl, former: formerOwnerPasswords }))
    process.stdout.write('The owner of the database has its new password.\n');
  const done = await prepareDatabase(urls, tenant);
  process.stdout.write(`${describe(done)}; the tenant is "${tenant.slug}".\n`);
  const erased = await eraseWhatCameBack(urls);
  if (erased > 0) process.stdout.write(`Conversations that a backup had brought back are erased again: ${erased}.\n`);
  const declared = await declare(urls, tenant.slug, telephone);
  if (declared !== undefined) process.stdout.write(`${declared}\n`);
  if (firstOwner && (await invite(urls, tenant.slug, firstOwner)))
    process.stdout.write('The first owner is invited: parley invitation show prints the link.\n');
}

function describe({ migrations, functions }: Migrated): string {
  if (functions === 'newer') return 'The functions of a newer release stay, which this one works with';
  const replaced = functions === 'applied' ? 'brought the functions up to date' : '';
  const ran = migrations.length > 0 ? `ran ${migrations.join(', ')}` : '';
  const done = [ran, replaced].filter(Boolean).join(', and ');
  return done === '' ? 'The schema is current' : done.charAt(0).toUpperCase() + done.slice(1);
}

/** Before anybody is let in (docs/operate/erasing.md). */
async function eraseWhatCameBack({ serviceUrl }: DatabaseUrls): Promise<number> {
  const db = openDatabase(serviceUrl, { maxConnections: 1, applicationName: 'parley-prepare' });
  // One that was live in the backup has nobody in it, and its room, if there is one, is closed by the worker.
  const silent = { notifier: { tell: () => undefined }, rooms: { close: async () => undefined } };
  return eraseAgain({ db, ...silent }).finally(() => db.close());
}

/** What it says of it; undefined where there is nothing, and nothing went. */
async function declare(
  { serviceUrl }: DatabaseUrls,
  slug: string,
  telephone: DeclaredTelephone,
): Promise<string | undefined> {
  const db = openDatabase(serviceUrl, { maxConnections: 1, applicationName: 'parley-prepare' });
  try {
    const tenant = await locateTenant(db, slug);
    if (tenant === undefined) throw new Error(`There is no tenant "${slug}" to declare numbers of.`);
    const { trunks, numbers, removed } = await declareTelephone(db, tenant, telephone);
    if (trunks + numbers + removed === 0) return undefined;
    return `Declared of the telephone: trunks ${trunks}, numbers ${numbers}; no longer declared, and removed: ${removed}.`;
  } finally {
    await db.close();
  }
}

/** As the role for persons; without its password nobody can sign in yet, and the services' role invites. */
async function invite(
  { serviceUrl, peoplePassword }: DatabaseUrls,
  slug: string,
  { email, masterKeys }: FirstOwner,
): Promise<boolean> {
  const options = { maxConnections: 1, applicationName: 'parley-prepare' };
  const db = openDatabase(serviceUrl, options);
  const people =
    peoplePassword === undefined ? undefined : openDatabase(peopleDatabaseUrl(serviceUrl, peoplePassword), options);
  try {
    const tenant = await locateTenant(db, slug);
    if (tenant === undefined) throw new Error(`There is no tenant "${slug}" to invite its owner to.`);
    return await inviteFirstOwner({ db: people ?? db, vault: makeVault(masterKeys) }, tenant, email);
  } finally {
    await Promise.all([db.close(), people?.close()]);
  }
}
