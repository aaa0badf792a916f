import { problems } from '../../contract/problems.ts';
import { isAtLeast, type Role } from '../../contract/roles.ts';
import type { Database, Tx } from '../../store/database.ts';
import { listOpenInvitations, withdrawInvitation, withdrawInvitationsOf } from '../../store/tables/invitations.ts';
import {
  findMember,
  isLastOwner,
  listMembers,
  type MemberRow,
  removeMember,
  setRole,
} from '../../store/tables/memberships.ts';
import { findPersonByEmail } from '../../store/tables/persons.ts';
import type { Vault } from '../credentials/vault.ts';
import { writeInvitation } from './write-invitation.ts';

export interface MembersDeps {
  /** The database as the role for persons. */
  people: Database;
  vault: Vault;
}

/** Who acts, and where. */
export interface Acting {
  tenant: string;
  role: Role;
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

/** `invited` is undefined for whoever may not see it. */
export const membersOf = ({ people }: MembersDeps, { tenant }: Acting, seesInvited: boolean) =>
  people.asTenant(tenant, async (tx) => ({
    items: (await listMembers(tx)).map(toMember),
    ...(seesInvited ? { invited: await openInvitations(tx) } : {}),
  }));

const toMember = ({ person, email, name, role, since }: MemberRow): Member => ({
  id: person,
  email,
  name,
  role,
  since,
});

const openInvitations = async (tx: Tx): Promise<Invited[]> =>
  (await listOpenInvitations(tx)).map(({ id, email, role, expires_at }) => ({
    id,
    email,
    role,
    expiresAt: expires_at,
  }));

/** An earlier invitation of the same address opens nothing any more. @throws Problem `forbidden`, `already_member` */
export function invite(
  { people, vault }: MembersDeps,
  { tenant, role: own }: Acting,
  { email: address, role }: { email: string; role: Role },
): Promise<{ id: string; email: string; role: Role; token: string }> {
  if (!isAtLeast(own, role)) throw problems.forbidden();
  const email = address.toLowerCase();
  return people.asTenant(tenant, async (tx) => {
    const person = await findPersonByEmail(tx, email);
    if (person && (await findMember(tx, person.id))) throw problems.alreadyMember(email);
    await withdrawInvitationsOf(tx, email);
    const written = await writeInvitation(tx, vault, { tenant, email, role });
    // Somebody else has invited the same address in this moment.
    if (!written) throw problems.alreadyMember(email);
    return { ...written, email, role };
  });
}

/** @throws Problem `member_not_found`, `forbidden`, `last_owner` */
export const changeRole = ({ people }: MembersDeps, acting: Acting, { member, role }: { member: string; role: Role }) =>
  keepingAnOwner(
    people.asTenant(acting.tenant, async (tx) => {
      const found = await mayChange(tx, acting, member);
      if (!isAtLeast(acting.role, role)) throw problems.forbidden();
      await setRole(tx, { person: member, role });
      return { ...toMember(found), role };
    }),
  );

/** Also takes back an invitation, by its id. @throws Problem `member_not_found`, `forbidden`, `last_owner` */
export const remove = ({ people }: MembersDeps, acting: Acting, member: string): Promise<void> =>
  keepingAnOwner(
    people.asTenant(acting.tenant, async (tx) => {
      const invitation = await withdrawInvitation(tx, member);
      if (invitation && !isAtLeast(acting.role, invitation.role)) throw problems.forbidden();
      if (invitation) return;
      await mayChange(tx, acting, member);
      await removeMember(tx, member);
    }),
  );

async function mayChange(tx: Tx, { role }: Acting, member: string): Promise<MemberRow> {
  const found = await findMember(tx, member);
  if (!found) throw problems.memberNotFound();
  if (!isAtLeast(role, found.role)) throw problems.forbidden();
  return found;
}

async function keepingAnOwner<Result>(change: Promise<Result>): Promise<Result> {
  try {
    return await change;
  } catch (error) {
    throw isLastOwner(error) ? problems.lastOwner() : error;
  }
}
