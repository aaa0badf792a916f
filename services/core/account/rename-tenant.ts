import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { lockTenant, renameTenant, type TenantRow } from '../../store/tables/tenants.ts';
import { type Acting, audited } from './acting.ts';

interface Renaming {
  /** Undefined: as it was. */
  name: string | undefined;
  /** Whether it is still what the person had before them. */
  isSame(row: TenantRow): boolean;
}

/** Gives a tenant another name, and the tenant as it is then. @throws Problem `precondition_failed`, `tenant_not_found` */
export const renameAs = (db: Database, acting: Acting, { name, isSame }: Renaming): Promise<TenantRow> =>
  db.asTenant(acting.tenant, async (tx) => {
    const row = await lockTenant(tx, acting.tenant);
    if (!row) throw problems.tenantNotFound(acting.tenant);
    if (!isSame(row)) throw problems.preconditionFailed();
    if (name === undefined || name === row.name) return row;
    await renameTenant(tx, { id: row.id, name });
    await audited(tx, acting, { action: 'tenant.renamed', target: row.id, details: { from: row.name, to: name } });
    return { ...row, name };
  });
