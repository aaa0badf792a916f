import type { Database } from '../../store/database.ts';
import type { Queryable } from '../../store/sql.ts';
import { findOwnerInvitation, hasAcceptedOwner, withdrawOwnerInvitations } from '../../store/tables/invitations.ts';
import type { Vault } from '../credentials/vault.ts';
import { writeInvitation } from './write-invitation.ts';

export interface InvitationDeps {
  db: Database;
  vault: Vault;
}

export interface OwnerInvitation {
  email: string;
  /** Makes whoever has it the owner, once. */
  token: string;
  expiresAt: Date;
}

/**
 * Invites the first owner, once: further calls change nothing. Another address, given before anybody accepted, withdraws the
 * earlier invitation; once an owner has come, whoever else comes is the owner's to invite. Tells whether it invited.
 */
export const inviteFirstOwner = (deps: InvitationDeps, tenant: string, address: string): Promise<boolean> =>
  deps.db.asTenant(tenant, async (tx) => {
    if (await hasAcceptedOwner(tx)) return false;
    const email = address.toLowerCase();
    await withdrawOwnerInvitations(tx, { except: email });
    return invite(tx, deps.vault, tenant, email);
  });

/** The open invitation with its token in the clear: for the operator's command, never for a route. Undefined when there is none. */
export const revealOwnerInvitation = ({ db, vault }: InvitationDeps, tenant: string) =>
  db.asTenant(tenant, (tx) => reveal(tx, vault, tenant));

/** The same address anew, for when the time is over or somebody else has seen the link, which opens nothing any more. */
export const renewOwnerInvitation = ({ db, vault }: InvitationDeps, tenant: string) =>
  db.asTenant(tenant, async (tx) => {
    const earlier = await findOwnerInvitation(tx);
    if (!earlier) return undefined;
    await withdrawOwnerInvitations(tx);
    await invite(tx, vault, tenant, earlier.email);
    return reveal(tx, vault, tenant);
  });

const invite = async (tx: Queryable, vault: Vault, tenant: string, email: string): Promise<boolean> =>
  (await writeInvitation(tx, vault, { tenant, email, role: 'owner' })) !== undefined;

async function reveal(tx: Queryable, vault: Vault, tenant: string): Promise<OwnerInvitation | undefined> {
  const row = await findOwnerInvitation(tx);
  if (!row) return undefined;
  const token = vault.open(row.sealed, { tenant, invitation: row.id });
  return { email: row.email, token, expiresAt: row.expires_at };
}
