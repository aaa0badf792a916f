import type { Role } from '../../contract/roles.ts';
import { first, type Queryable, sql } from '../sql.ts';

export interface InvitationRow {
  id: string;
  email: string;
  sealed: string;
  expires_at: Date;
}

export interface NewInvitation {
  id: string;
  email: string;
  role: Role;
  tokenHash: Buffer;
  sealed: string;
  validMs: number;
}

/** Nothing when this address has an invitation that was not accepted yet. */
export const insertInvitation = (q: Queryable, tenant: string, invitation: NewInvitation) =>
  first<{ id: string }>(
    q,
    sql`
    insert into invitations (id, tenant_id, email, role, token_hash, sealed, expires_at)
    values (${invitation.id}, ${tenant}, ${invitation.email}, ${invitation.role}, ${invitation.tokenHash}, ${invitation.sealed},
      now() + ${invitation.validMs} * interval '1 millisecond')
    on conflict (tenant_id, email) where accepted_at is null do nothing
    returning id`,
  );

/** Whether an owner has come already. */
export const hasAcceptedOwner = async (q: Queryable) =>
  (await first(q, sql`select 1 from invitations where role = 'owner' and accepted_at is not null`)) !== undefined;

/** The newest that nobody has accepted, expired or not. */
export const findOwnerInvitation = (q: Queryable) =>
  first<InvitationRow>(
    q,
    sql`
    select id, email, sealed, expires_at from invitations
    where role = 'owner' and accepted_at is null order by created_at desc limit 1`,
  );

/** Their links open nothing any more. */
export const withdrawOwnerInvitations = (q: Queryable, { except }: { except?: string } = {}) =>
  q.query(sql`
    delete from invitations where role = 'owner' and accepted_at is null and email is distinct from ${except ?? null}`);

export interface OpenInvitationRow {
  id: string;
  email: string;
  role: Role;
  expires_at: Date;
}

/** Whose invitation a token is of, whichever tenant's; nothing when it opens nothing any more. */
export const locateInvitation = (q: Queryable, tokenHash: Buffer) =>
  first<{ tenant_id: string; invitation_id: string }>(q, sql`select * from locate_invitation(${tokenHash})`);

/** The open invitations of an address, whichever tenants' they are. @param email in lower case */
export const locateInvitations = (q: Queryable, email: string) =>
  q.query<{ tenant_id: string; invitation_id: string }>(sql`select * from locate_invitations(${email})`);

/** The invitation, if it is still open. */
export const findOpenInvitation = (q: Queryable, id: string) =>
  first<OpenInvitationRow>(
    q,
    sql`
    select id, email, role, expires_at from invitations
    where id = ${id} and accepted_at is null and expires_at > clock_timestamp()`,
  );

/** Takes the invitation, once: of several at the same time one gets it. */
export const acceptInvitation = (q: Queryable, id: string) =>
  first<OpenInvitationRow>(
    q,
    sql`
    update invitations set accepted_at = clock_timestamp()
    where id = ${id} and accepted_at is null and expires_at > clock_timestamp() returning id, email, role, expires_at`,
  );

export const listOpenInvitations = (q: Queryable) =>
  q.query<OpenInvitationRow>(sql`
    select id, email, role, expires_at from invitations
    where accepted_at is null and expires_at > clock_timestamp() order by email`);

/** Whoever was invited under this address before. */
export const withdrawInvitationsOf = (q: Queryable, email: string) =>
  q.query(sql`delete from invitations where email = ${email} and accepted_at is null`);

/** Tells which one it was; nothing when there was none. */
export const withdrawInvitation = (q: Queryable, id: string) =>
  first<OpenInvitationRow>(
    q,
    sql`delete from invitations where id = ${id} and accepted_at is null returning id, email, role, expires_at`,
  );
