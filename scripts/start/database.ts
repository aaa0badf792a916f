import { openDatabase } from '../../services/store/database.ts';
import { migrate } from '../../services/store/migrate.ts';
import { type TenantRow, upsertTenant } from '../../services/store/tables/tenants.ts';
import { Fault } from '../toolchain/fault.ts';

export interface DatabaseUrls {
  adminUrl: string;
  serviceUrl: string;
}

/** Brings the schema up to date and makes the tenant; gives the names of the migrations that ran. Throws a Fault when the stored data refuses. */
export async function prepareDatabase(
  { adminUrl, serviceUrl }: DatabaseUrls,
  tenant: Pick<TenantRow, 'slug' | 'name' | 'features'>,
): Promise<string[]> {
  let migrations: string[];
  try {
    migrations = await migrate({ adminUrl, serviceUrl });
  } catch (error) {
    throw new Fault(`The database can't be brought up to date: ${(error as Error).message}.`, { cause: error });
  }
  const admin = openDatabase(adminUrl, { maxConnections: 1, applicationName: 'parley-launcher' });
  try {
    await upsertTenant(admin, tenant);
  } finally {
    await admin.close();
  }
  return migrations;
}
