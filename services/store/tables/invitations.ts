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
  tokenHash: Buffer;
  sealed: string;
  validMs: number;
}

/** Nothing when this address has an invitation that was not accepted yet. */
export const insertOwnerInvitation = (q: Queryable, tenant: string, invitation: NewInvitation) =>
  first<{ id: string }>(
    q,
    sql`
    insert into invitations (id, tenant_id, email, role, token_hash, sealed, expires_at)
    values (${invitation.id}, ${tenant}, ${invitation.email}, 'owner', ${invitation.tokenHash}, ${invitation.sealed},
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
