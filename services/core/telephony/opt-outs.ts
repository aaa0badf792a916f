import type { OptOutBody } from '../../contract/generated/api.ts';
import { problems } from '../../contract/problems.ts';
import type { OptOutShown } from '../../contract/telephony.ts';
import type { Database } from '../../store/database.ts';
import { deleteOptOut, insertOptOut, listOptOuts } from '../../store/tables/opt-outs.ts';
import { type Acting, audited } from '../account/acting.ts';
import type { Vault } from '../credentials/vault.ts';

export interface OptOutDeps {
  db: Database;
  vault: Vault;
}

const asked = 'asked by the account API';

/** Nobody calls this number from now on, by whichever number of the tenant. The audit log does not say who it is. */
export async function optOut(
  { db, vault }: OptOutDeps,
  acting: Acting,
  { number, why = asked }: OptOutBody,
): Promise<void> {
  const [hash] = vault.hashesOfNumber(number, acting.tenant);
  const name = nameOf(hash);
  await db.asTenant(acting.tenant, async (tx) => {
    const sealed = vault.seal(number, { tenant: acting.tenant, optOut: name });
    await insertOptOut(tx, acting.tenant, { number_hash: hash, sealed, why });
    await audited(tx, acting, { action: 'opt_out.made', target: name.slice(0, 12) });
  });
}

/** @throws Problem `opt_out_not_found` */
export const optIn = ({ db, vault }: OptOutDeps, acting: Acting, number: string): Promise<void> =>
  db.asTenant(acting.tenant, async (tx) => {
    const hashes = vault.hashesOfNumber(number, acting.tenant);
    if (!(await deleteOptOut(tx, hashes))) throw problems.optOutNotFound();
    await audited(tx, acting, { action: 'opt_out.removed', target: nameOf(hashes[0]).slice(0, 12) });
  });

/** The newest first; the cursor is the time of the last one. */
export const optOutsOf = (
  { db, vault }: OptOutDeps,
  { tenant }: Acting,
  page: { before: string | undefined; limit: number },
) =>
  db.asTenant(tenant, async (tx) => {
    const rows = await listOptOuts(tx, { ...page, limit: page.limit + 1 });
    const items = rows.slice(0, page.limit).map(
      ({ number_hash, sealed, since, why }): OptOutShown => ({
        number: vault.open(sealed, { tenant, optOut: nameOf(number_hash) }),
        since,
        why,
      }),
    );
    return { items, nextCursor: rows.length > page.limit ? (items.at(-1)?.since.toISOString() ?? null) : null };
  });

const nameOf = (hash: Buffer): string => hash.toString('base64url');
