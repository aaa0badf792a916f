import { randomBytes } from 'node:crypto';
import type { Role } from '../../contract/roles.ts';
import type { Queryable } from '../../store/sql.ts';
import { insertInvitation } from '../../store/tables/invitations.ts';
import type { Vault } from '../credentials/vault.ts';
import { newUuid, sha256 } from '../sessions/ids.ts';

export interface WrittenInvitation {
  id: string;
  /** Makes whoever has it a member, once. */
  token: string;
}

const validMs = 7 * 24 * 3_600_000;

export const hashOfInvitation = (token: string): Buffer => sha256(token);

/** @param email in lower case. Undefined when this address has an invitation that was not accepted yet. */
export async function writeInvitation(
  tx: Queryable,
  vault: Vault,
  { tenant, email, role }: { tenant: string; email: string; role: Role },
): Promise<WrittenInvitation | undefined> {
  const id = newUuid();
  const token = `inv_${randomBytes(32).toString('base64url')}`;
  const sealed = vault.seal(token, { tenant, invitation: id });
  const tokenHash = hashOfInvitation(token);
  const written = await insertInvitation(tx, tenant, { ...{ id, email, role, tokenHash, sealed }, validMs });
  return written && { id, token };
}
