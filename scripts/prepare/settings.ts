import type { DeclaredTelephone } from '../../services/contract/declared-telephone.ts';
import { validateDeclaredTelephone } from '../../services/contract/schemas.ts';
import { explainAll } from '../../services/contract/wording.ts';
import { readPeopleKeys } from '../../services/core/account/people-keys.ts';
import type { Variables } from '../../services/process/variables.ts';
import { readSettings as read } from '../../services/settings/read.ts';
import { type SettingsOf, settings } from '../../services/settings/settings.ts';
import type { TenantRow } from '../../services/store/tables/tenants.ts';
import type { DatabaseUrls } from '../start/database.ts';

export interface PrepareSettings {
  urls: DatabaseUrls;
  /** That the owner of the database had before, the newest first. */
  formerOwnerPasswords: readonly string[];
  /** The server on which the database is made first; undefined where it is there already. */
  serverUrl: string | undefined;
  /** Databases of other tenants to make there, as their owners see them, and how many connections each may have. */
  guests: { adminUrls: readonly string[]; connections: number | undefined };
  tenant: Pick<TenantRow, 'slug' | 'name' | 'features' | 'caps'>;
  /** What the stack declares of it: nothing, where it declares none. */
  telephone: DeclaredTelephone;
  /** Undefined where nobody is invited. */
  firstOwner: FirstOwner | undefined;
}

export type FirstOwner = NonNullable<SettingsOf<'prepare'>['firstOwner']>;

/** @throws ConfigurationError that names every variable at fault. */
export function readSettings(variables: Variables): PrepareSettings {
  const given = read('prepare', variables, ({ telephone }, fault) => {
    if (telephone === undefined || validateDeclaredTelephone(telephone)) return;
    for (const { path, message } of explainAll(validateDeclaredTelephone.errors ?? []))
      fault(`${settings.telephone.name} ${path.join('.')}: ${message}`);
  });
  const { databaseAdminUrl, databaseDirectUrl, databaseUrl, databaseServerUrl, peopleKeys } = given;
  const { tenant, tenantName, features, fleetShare, firstOwner } = given;
  const peoplePassword = peopleKeys === undefined ? undefined : readPeopleKeys(peopleKeys).databasePassword;
  return {
    urls: { adminUrl: databaseAdminUrl, serviceUrl: databaseDirectUrl ?? databaseUrl, peoplePassword },
    formerOwnerPasswords: given.formerOwnerPasswords ?? [],
    serverUrl: databaseServerUrl,
    guests: { adminUrls: given.guestDatabaseUrls ?? [], connections: given.guestConnections },
    tenant: { slug: tenant, name: tenantName ?? tenant, features: features ?? {}, caps: { fleetShare } },
    telephone: given.telephone ?? { trunks: [], numbers: [] },
    firstOwner,
  };
}
