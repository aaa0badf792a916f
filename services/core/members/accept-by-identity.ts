import { problems } from '../../contract/problems.ts';
import type { Database, Tx } from '../../store/database.ts';
import { insertIdentity } from '../../store/tables/identities.ts';
import * as invitations from '../../store/tables/invitations.ts';
import { addMember } from '../../store/tables/memberships.ts';
import { insertPerson, type PersonRow } from '../../store/tables/persons.ts';
import { audited } from '../account/acting.ts';
import type { Identity } from '../account/open-id-connect/issuer.ts';

export interface LocatedInvitation {
  tenant: string;
  invitation: string;
}

const toLocated = (row: { tenant_id: string; invitation_id: string }): LocatedInvitation => ({
  tenant: row.tenant_id,
  invitation: row.invitation_id,
});

/** @throws Problem `invitation_not_open` */
export async function invitationOf(people: Database, tokenHash: Buffer): Promise<LocatedInvitation> {
  const row = await invitations.locateInvitation(people, tokenHash);
  if (!row) throw problems.invitationNotOpen();
  return toLocated(row);
}

/** Of whoever has this address; of nobody where none is verified. */
export const invitationsOf = async (people: Database, email: string | undefined): Promise<LocatedInvitation[]> =>
  email === undefined ? [] : (await invitations.locateInvitations(people, email)).map(toLocated);

/**
 * Takes an invitation as somebody whom an identity provider knows; they are made where `known` is nobody. Everything commits together.
 * @throws Problem `invitation_not_open`, `not_invited` under this address, `account_exists`
 */
export const acceptByIdentity = (
  people: Database,
  { tenant, invitation }: LocatedInvitation,
  { identity, known, requestId }: { identity: Identity; known: PersonRow | undefined; requestId: string },
): Promise<PersonRow> =>
  people.asTenant(tenant, async (tx) => {
    const accepted = await invitations.acceptInvitation(tx, invitation);
    if (!accepted) throw problems.invitationNotOpen();
    if (accepted.email !== identity.email && accepted.email !== known?.email) throw problems.notInvited();
    const person = known ?? (await newPerson(tx, accepted.email, identity));
    await addMember(tx, { tenant, person: person.id, role: accepted.role });
    const deed = { action: 'invitation.accepted', target: invitation, details: { role: accepted.role } } as const;
    await audited(tx, { person: person.id, requestId }, deed);
    return person;
  });

/** Whoever has this address already has another way in: the address alone is no reason to let them in without it. */
async function newPerson(tx: Tx, email: string, { issuer, subject, name }: Identity): Promise<PersonRow> {
  const person = await insertPerson(tx, { email, name: (name ?? email).slice(0, longestName), password: null });
  if (!person) throw problems.accountExists();
  // The same person has come twice in the same moment: the other one has accepted.
  if (!(await insertIdentity(tx, { issuer, subject, person: person.id }))) throw problems.invitationNotOpen();
  return person;
}

/** As for whoever writes it themselves (schemas/api.schema.json). */
const longestName = 100;
