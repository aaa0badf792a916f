import { problems } from '../../contract/problems.ts';
import { isAtLeast, type Role } from '../../contract/roles.ts';
import type { Database, Tx } from '../../store/database.ts';
import {
  listOpenInvitations,
  type OpenInvitationRow,
  withdrawInvitation,
  withdrawInvitationsOf,
} from '../../store/tables/invitations.ts';
import {
  findMember,
  isLastOwner,
  listMembers,
  type MemberRow,
  removeMember,
  setRole,
} from '../../store/tables/memberships.ts';
import { findPersonByEmail } from '../../store/tables/persons.ts';
import { type Acting, audited } from '../account/acting.ts';
import { once } from '../account/once.ts';
import type { Vault } from '../credentials/vault.ts';
import { writeInvitation } from './write-invitation.ts';

export interface MembersDeps {
  /** The database as the role for persons. */
  people: Database;
  vault: Vault;
}

export interface Member {
  id: string;
  email: string;
  name: string;
  role: Role;
  since: Date;
}

export interface Invited {
  id: string;
  email: string;
  role: Role;
  expiresAt: Date;
}

export interface MembersQuery {
  /** The member who was the last of the page before. */
  after: string | undefined;
  limit: number;
  /** Whether they may see who is invited, which comes with the first page. */
  seesInvited: boolean;
}

/** A page of members by name. */
export const membersOf = (
  { people }: MembersDeps,
  { tenant }: Pick<Acting, 'tenant'>,
  { after, limit, seesInvited }: MembersQuery,
) =>
  people.asTenant(tenant, async (tx) => {
    // One more than is shown tells whether there is a next page.
    const rows = await listMembers(tx, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return {
      items: shown.map(toMember),
      nextCursor: rows.length > limit ? (shown.at(-1)?.person ?? null) : null,
      ...(seesInvited && after === undefined ? { invited: await openInvitations(tx) } : {}),
    };
  });

const toMember = ({ person, email, name, role, since }: MemberRow): Member => ({
  id: person,
  email,
  name,
  role,
  since,
});

const openInvitations = async (tx: Tx): Promise<Invited[]> => (await listOpenInvitations(tx)).map(toInvited);

const toInvited = ({ id, email, role, expires_at }: OpenInvitationRow): Invited => ({
  id,
  email,
  role,
  expiresAt: expires_at,
});

/** An earlier invitation of the same address opens nothing any more. @throws Problem `forbidden`, `already_member` */
export async function invite(
  { people, vault }: MembersDeps,
  acting: Acting,
  { email: address, role }: { email: string; role: Role },
): Promise<{ id: string; email: string; role: Role; token: string }> {
  const { tenant } = acting;
  if (!isAtLeast(acting.role, role)) throw problems.forbidden();
  const email = address.toLowerCase();
  const { answer } = await once({ db: people, vault }, acting, async (tx) => {
    const person = await findPersonByEmail(tx, email);
    if (person && (await findMember(tx, person.id))) throw problems.alreadyMember(email);
    await withdrawInvitationsOf(tx, email);
    const written = await writeInvitation(tx, vault, { tenant, email, role });
    // Somebody else has invited the same address in this moment.
    if (!written) throw problems.alreadyMember(email);
    await audited(tx, acting, { action: 'invitation.made', target: written.id, details: { email, role } });
    return { ...written, email, role };
  });
  return answer;
}

/** One of them. @throws Problem `member_not_found` */
export const memberOf = (
  { people }: MembersDeps,
  { tenant }: Pick<Acting, 'tenant'>,
  member: string,
): Promise<Member> =>
  people.asTenant(tenant, async (tx) => {
    const found = await findMember(tx, member);
    if (!found) throw problems.memberNotFound();
    return toMember(found);
  });

/** Whether it is still what the person had before them; left out: whatever it is. */
type IsSame<Read> = (read: Read) => boolean;

/** @throws Problem `member_not_found`, `precondition_failed`, `forbidden`, `last_owner` */
export const changeRole = (
  { people }: MembersDeps,
  acting: Acting,
  { member, role, isSame }: { member: string; role: Role; isSame?: IsSame<Member> },
): Promise<Member> =>
  keepingAnOwner(
    people.asTenant(acting.tenant, async (tx) => {
      const found = await mayChange(tx, acting, member, isSame);
      if (!isAtLeast(acting.role, role)) throw problems.forbidden();
      await setRole(tx, { person: member, role });
      const details = { from: found.role, to: role };
      await audited(tx, acting, { action: 'member.role_changed', target: member, details });
      return { ...toMember(found), role };
    }),
  );

/** Also takes back an invitation, by its id. @throws Problem `member_not_found`, `precondition_failed`, `forbidden`, `last_owner` */
export const remove = (
  { people }: MembersDeps,
  acting: Acting,
  member: string,
  isSame?: IsSame<Member | Invited>,
): Promise<void> =>
  keepingAnOwner(
    people.asTenant(acting.tenant, async (tx) => {
      const invitation = await withdrawInvitation(tx, member);
      if (invitation && !isAtLeast(acting.role, invitation.role)) throw problems.forbidden();
      if (invitation && isSame && !isSame(toInvited(invitation))) throw problems.preconditionFailed();
      if (invitation) return noteWithdrawn(tx, acting, invitation);
      const { role } = await mayChange(tx, acting, member, isSame);
      await removeMember(tx, member);
      await audited(tx, acting, { action: 'member.removed', target: member, details: { role } });
    }),
  );

async function noteWithdrawn(tx: Tx, acting: Acting, { id, email, role }: OpenInvitationRow): Promise<void> {
  await audited(tx, acting, { action: 'invitation.withdrawn', target: id, details: { email, role } });
}

async function mayChange(tx: Tx, { role }: Acting, member: string, isSame?: IsSame<Member>): Promise<MemberRow> {
  const found = await findMember(tx, member);
  if (!found) throw problems.memberNotFound();
  if (!isAtLeast(role, found.role)) throw problems.forbidden();
  if (isSame && !isSame(toMember(found))) throw problems.preconditionFailed();
  return found;
}

async function keepingAnOwner<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    throw isLastOwner(error) ? problems.lastOwner() : error;
  }
}
