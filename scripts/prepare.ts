/** Job of a stack: brings the database to this code's schema, and the tenant with its features into it. May run again at any time. */
import { claimDatabase } from './prepare/claim-database.ts';
import { readSettings } from './prepare/settings.ts';
import { prepareDatabase } from './start/database.ts';

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const { urls, serverUrl, tenant } = readSettings(process.env);
  if (serverUrl !== undefined) await claimDatabase({ serverUrl, adminUrl: urls.adminUrl });
  const migrations = await prepareDatabase(urls, tenant);
  const done = migrations.length === 0 ? 'The schema is current' : `Ran ${migrations.join(', ')}`;
  process.stdout.write(`${done}; the tenant is "${tenant.slug}".\n`);
}
