import type { Database } from '../../store/database.ts';
import { findTenant, locateTenant } from '../../store/tables/tenants.ts';

/** Whose agents a source holds. */
export interface Owner {
  /** The tenant's id. */
  tenant: string;
  webhookEnabled: boolean;
}

/** @throws Error while there is no such tenant */
export async function ownerOf(db: Database, slug: string): Promise<Owner> {
  const tenant = await locateTenant(db, slug);
  if (!tenant) throw new Error(`there is no tenant "${slug}" yet`);
  const owner = await db.asTenant(tenant, (tx) => findTenant(tx, tenant));
  return { tenant, webhookEnabled: owner?.features.webhook ?? false };
}
