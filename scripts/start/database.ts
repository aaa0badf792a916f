import { openDatabase } from '../../services/store/database.ts';
import { type Migrated, migrate } from '../../services/store/migrate.ts';
import { type TenantRow, upsertTenant } from '../../services/store/tables/tenants.ts';
import { Fault } from '../toolchain/fault.ts';

export interface DatabaseUrls {
  adminUrl: string;
  serviceUrl: string;
  /** Of the database's role for persons; without one nobody is let in as it. */
  peoplePassword?: string | undefined;
}

/** Brings the schema up to date and makes the tenant; says what was done to the schema. Throws a Fault when the stored data refuses. */
export async function prepareDatabase(
  urls: DatabaseUrls,
  tenant: Pick<TenantRow, 'slug' | 'name' | 'features'> & Partial<Pick<TenantRow, 'caps'>>,
): Promise<Migrated> {
  let migrated: Migrated;
  try {
    migrated = await migrate(urls);
  } catch (error) {
    throw new Fault(`The database can't be brought up to date: ${(error as Error).message}.`, { cause: error });
  }
  const admin = openDatabase(urls.adminUrl, { maxConnections: 1, applicationName: 'parley-launcher' });
  try {
    await upsertTenant(admin, tenant);
  } finally {
    await admin.close();
  }
  return migrated;
}
