import type { Variables } from '../../services/process/variables.ts';
import { readSettings as read } from '../../services/settings/read.ts';
import type { SettingsOf } from '../../services/settings/settings.ts';
import type { TenantRow } from '../../services/store/tables/tenants.ts';
import type { DatabaseUrls } from '../start/database.ts';

export interface PrepareSettings {
  urls: DatabaseUrls;
  /** The server on which the database is made first; undefined where it is there already. */
  serverUrl: string | undefined;
  tenant: Pick<TenantRow, 'slug' | 'name' | 'features' | 'caps'>;
  /** Undefined where nobody is invited. */
  firstOwner: FirstOwner | undefined;
}

export type FirstOwner = NonNullable<SettingsOf<'prepare'>['firstOwner']>;

/** @throws ConfigurationError that names every variable at fault. */
export function readSettings(variables: Variables): PrepareSettings {
  const { databaseAdminUrl, databaseUrl, databaseServerUrl, tenant, tenantName, features, fleetShare, firstOwner } =
    read('prepare', variables);
  return {
    urls: { adminUrl: databaseAdminUrl, serviceUrl: databaseUrl },
    serverUrl: databaseServerUrl,
    tenant: { slug: tenant, name: tenantName ?? tenant, features: features ?? {}, caps: { fleetShare } },
    firstOwner,
  };
}
