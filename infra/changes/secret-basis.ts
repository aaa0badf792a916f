/** What of a tenant's configuration its secrets follow from, beside what the stack has kept since its first up. Pure. */
import type { SecretName, Variable } from '../plan/variables.ts';
import type { Tenant } from '../tenant.ts';

const basis: Readonly<Record<SecretName, (tenant: Tenant, key: string) => unknown>> = {
  database: ({ database, rotation }) => [database.url, rotation.databasePassword],
  'database-admin': ({ database, rotation }) => [database.adminUrl, rotation.ownerPassword],
  'database-server': ({ rotation }) => rotation.serverPassword,
  'database-guests': ({ guests, rotation }) => [guests?.count, rotation.guestPasswords],
  'room-keys': ({ rotation }, key) => [rotation.roomKeyInUse, key === 'others' ? rotation.roomKeys : undefined],
  'master-keys': ({ keys }) => keys?.master,
  'people-keys': ({ keys }) => keys?.people,
  cache: ({ rotation }) => rotation.cachePassword,
  own: ({ secrets }, key) => secrets[key],
};

/** A password that was renewed, as what a part is made from; a first one is as it was before there were others. */
export const renewed = (which: number): { password?: number } => (which > 1 ? { password: which } : {});

/** Of a process: another value when something secret that it reads is another, and it starts anew. */
export const secretsReadBy = (tenant: Tenant, variables: readonly Variable[]): unknown =>
  variables.flatMap(({ name, value }) =>
    typeof value === 'string' ? [] : [[name, basis[value.secret](tenant, value.key)]],
  );
