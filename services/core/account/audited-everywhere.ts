import type { Database } from '../../store/database.ts';
import { type Queryable, sql } from '../../store/sql.ts';
import { listMyTenants } from '../../store/tables/memberships.ts';
import { type Acting, audited, type Deed } from './acting.ts';

/**
 * What a person does to themselves concerns every tenant that they are a member of: in one transaction it is done, and written into the audit log
 * of each. Somebody who is a member nowhere has nobody to be told. `work` gives what there is to tell, or
 * undefined, and it is given back.
 */
export async function auditedEverywhere<Change extends object>(
  people: Database,
  by: Pick<Acting, 'person' | 'requestId'>,
  deed: Deed,
  work: (q: Queryable) => Promise<Change | undefined>,
): Promise<Change | undefined> {
  const tenants = (await listMyTenants(people, by.person)).map(({ tenant_id }) => tenant_id);
  return people.asTenant(tenants[0] ?? nowhere, async (tx) => {
    const change = await work(tx);
    if (!change) return undefined;
    for (const tenant of tenants) {
      await tx.query(sql`select set_config('parley.tenant', ${tenant}, true)`);
      await audited({ ...tx, tenant }, by, deed);
    }
    return change;
  });
}

/** No tenant's id: a transaction needs one, and sees no rows by it. */
const nowhere = '00000000-0000-0000-0000-000000000000';
