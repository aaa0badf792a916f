/** The identities that let a person in, which they link and unlink by themselves. */
import type { IdentitiesShown } from '../../../contract/account-answers.ts';
import { problems } from '../../../contract/problems.ts';
import type { Database } from '../../../store/database.ts';
import {
  deleteIdentity,
  findPersonByIdentity,
  insertIdentity,
  listIdentities,
} from '../../../store/tables/identities.ts';
import { findPerson, lockPerson } from '../../../store/tables/persons.ts';
import { endOtherSignIns, personOfSignIn } from '../../../store/tables/sign-ins.ts';
import type { Deed } from '../acting.ts';
import { auditedEverywhere } from '../audited-everywhere.ts';
import { personOf, type SignInDeps } from '../sign-in.ts';
import type { Identity } from './issuer.ts';

/** Of a person; nobody is somebody else in so many places. */
const mostIdentities = 10;

export interface WaysIn {
  /** Whether passwords are taken here. */
  takesPasswords: boolean;
  /** Of the identity provider; undefined where there is none. */
  issuer: string | undefined;
}

/** What lets a person in; a password that is refused here is none. */
export async function shownIdentities(
  people: Database,
  person: string,
  { takesPasswords, issuer: configured }: WaysIn,
): Promise<IdentitiesShown> {
  const found = await findPerson(people, person);
  if (!found) throw problems.invalidToken();
  const rows = await listIdentities(people, person);
  return {
    hasPassword: takesPasswords && found.password !== null,
    items: rows.map(({ id, issuer, created_at }) => ({
      id,
      issuer,
      since: created_at,
      signsIn: issuer === configured,
    })),
  };
}

/**
 * A token that was stolen is good for minutes, a linked identity for ever: whoever has a password gives it.
 * @throws Problem `invalid_token`, `sign_in_failed`, `rate_limited`
 */
export async function mayLink(
  deps: SignInDeps,
  { person, password = '', address }: { person: string; password?: string | undefined; address: string },
  { takesPasswords }: Pick<WaysIn, 'takesPasswords'>,
): Promise<void> {
  const found = await findPerson(deps.people, person);
  if (!found) throw problems.invalidToken();
  if (takesPasswords && found.password !== null) await personOf(deps, { email: found.email, password, address });
}

/**
 * Links the identity of somebody who has come back to the person whose sign-in it was when they left. A second time it changes nothing.
 * @throws Problem `sign_in_expired` when that sign-in has ended meanwhile, `identity_taken`, `too_many_identities`
 */
export async function linkIdentity(
  people: Database,
  { signIn, identity, requestId }: { signIn: string; identity: Identity; requestId: string },
): Promise<void> {
  const { issuer, subject } = identity;
  const person = await personOfSignIn(people, signIn);
  if (!person) throw problems.signInExpired();
  const deed: Deed = { action: 'identity.linked', target: person.id, details: { issuer } };
  await auditedEverywhere(people, { person: person.id, requestId }, deed, async (q) => {
    await lockPerson(q, person.id);
    const known = await findPersonByIdentity(q, identity);
    if (known) {
      if (known.id !== person.id) throw problems.identityTaken();
      return false;
    }
    if ((await listIdentities(q, person.id)).length >= mostIdentities) throw problems.tooManyIdentities(mostIdentities);
    if (!(await insertIdentity(q, { issuer, subject, person: person.id }))) throw problems.identityTaken();
    return true;
  });
}

/**
 * Ends whatever else the person is signed in with, too: what is unlinked may have opened it, and they may unlink it for that very reason.
 * @throws Problem `identity_not_found`, `last_way_in`
 */
export async function unlinkIdentity(
  people: Database,
  { person, signIn, identity, requestId }: { person: string; signIn: string; identity: string; requestId: string },
  { takesPasswords, issuer }: WaysIn,
): Promise<void> {
  const deed: Deed = { action: 'identity.unlinked', target: person };
  await auditedEverywhere(people, { person, requestId }, deed, async (q) => {
    // Of two at the same time the second sees what the first has left.
    const locked = await lockPerson(q, person);
    const rows = await listIdentities(q, person);
    const meant = rows.find(({ id }) => id === identity);
    if (!meant) throw problems.identityNotFound();
    const hasPassword = takesPasswords && locked !== undefined && locked.password !== null;
    // Whom a former identity provider knew is no way in.
    const ways = rows.filter((row) => row.issuer === issuer);
    if (!hasPassword && ways.length === 1 && ways.includes(meant)) throw problems.lastWayIn();
    await deleteIdentity(q, { person, identity });
    await endOtherSignIns(q, { person, signIn });
    return true;
  });
}
