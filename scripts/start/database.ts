import { openDatabase } from '../../services/store/database.ts';
import { migrate } from '../../services/store/migrate.ts';
import { upsertTenant } from '../../services/store/tables/tenants.ts';
import { Fault } from '../toolchain/fault.ts';

export interface DatabaseUrls {
  adminUrl: string;
  serviceUrl: string;
}

/** Brings the schema up to date and makes the tenant of this machine. Throws a Fault when the stored data refuses. */
export async function prepareDatabase({ adminUrl, serviceUrl }: DatabaseUrls, tenant: string): Promise<void> {
  try {
    await migrate({ adminUrl, serviceUrl });
  } catch (error) {
    throw new Fault(`The database can't be brought up to date: ${(error as Error).message}.`, { cause: error });
  }
  const admin = openDatabase(adminUrl, { maxConnections: 1, applicationName: 'parley-launcher' });
  try {
    await upsertTenant(admin, { slug: tenant, name: 'This machine', features: { webhook: true } });
  } finally {
    await admin.close();
  }
}
