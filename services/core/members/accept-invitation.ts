import { problems } from '../../contract/problems.ts';
import type { Tx } from '../../store/database.ts';
import * as invitations from '../../store/tables/invitations.ts';
import { addMember } from '../../store/tables/memberships.ts';
import { findPersonByEmail, insertPerson, type PersonRow } from '../../store/tables/persons.ts';
import { audited } from '../account/acting.ts';
import { hashPassword } from '../account/passwords.ts';
import { personOf, type SignedIn, type SignInDeps, signInAs } from '../account/sign-in.ts';
import { hashOfInvitation } from './write-invitation.ts';

export interface Acceptance {
  /** `inv_…` */
  token: string;
  name: string;
  /** Becomes the new person's; somebody who has an account shows with it that it is theirs. */
  password: string;
  address: string;
  /** As X-Request-Id names it. */
  requestId: string;
}

/**
 * Takes an invitation, once, and signs in. Everything commits together, so a refusal leaves the invitation as it was.
 * @throws Problem `invitation_not_open`, `sign_in_failed`, `rate_limited`
 */
export async function acceptInvitation(deps: SignInDeps, given: Acceptance): Promise<SignedIn> {
  const located = await invitations.locateInvitation(deps.people, hashOfInvitation(given.token));
  if (!located) throw problems.invitationNotOpen();
  const { tenant_id: tenant, invitation_id: id } = located;
  const invitation = await deps.people.asTenant(tenant, (tx) => invitations.findOpenInvitation(tx, id));
  if (!invitation) throw problems.invitationNotOpen();
  const comer = await whoComes(deps, invitation.email, given);
  return signInAs(
    deps,
    await deps.people.asTenant(tenant, (tx) => enter(tx, { invitation: id, comer, requestId: given.requestId })),
  );
}

type Comer = PersonRow | Omit<PersonRow, 'id'>;

/** Before the transaction: hashing takes long, and nobody should wait for a row meanwhile. */
async function whoComes(deps: SignInDeps, email: string, { name, password, address }: Acceptance): Promise<Comer> {
  if (await findPersonByEmail(deps.people, email)) return personOf(deps, { email, password, address });
  return { email, name, password: await hashPassword(password) };
}

async function enter(
  tx: Tx,
  { invitation, comer, requestId }: { invitation: string; comer: Comer; requestId: string },
): Promise<PersonRow> {
  const accepted = await invitations.acceptInvitation(tx, invitation);
  if (!accepted) throw problems.invitationNotOpen();
  const person = 'id' in comer ? comer : await insertPerson(tx, comer);
  // Two invitations of one address, of two tenants, in the same moment: the second is to show the first one's password.
  if (!person) throw problems.signInFailed();
  await addMember(tx, { tenant: tx.tenant, person: person.id, role: accepted.role });
  const deed = { action: 'invitation.accepted', target: invitation, details: { role: accepted.role } } as const;
  await audited(tx, { person: person.id, requestId }, deed);
  return person;
}
