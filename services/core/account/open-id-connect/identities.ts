/** The identities that let a person in, which they link and unlink by themselves. */
import type { IdentitiesShown } from '../../../contract/account-answers.ts';
import { problems } from '../../../contract/problems.ts';
import type { Database } from '../../../store/database.ts';
import { isDepartureToLink, takeDeparture } from '../../../store/tables/departures.ts';
import {
  deleteIdentity,
  findPersonByIdentity,
  insertIdentity,
  listIdentities,
} from '../../../store/tables/identities.ts';
import { findPerson, lockPerson } from '../../../store/tables/persons.ts';
import { endOtherSignIns, lasts } from '../../../store/tables/sign-ins.ts';
import { sha256 } from '../../sessions/ids.ts';
import type { Caller } from '../access-token.ts';
import type { Deed } from '../acting.ts';
import { auditedEverywhere } from '../audited-everywhere.ts';
import { personOf, type SignInDeps } from '../sign-in.ts';
import { finish } from './issuer.ts';
import { callbackPath, type OpenIdConnectDeps } from './sign-in.ts';

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

/** Whether whoever comes back with this ticket has gone to link an identity. */
export const hasLeftToLink = async (people: Database, ticket: string | undefined): Promise<boolean> =>
  ticket !== undefined && (await isDepartureToLink(people, sha256(ticket)));

/** What a person is written of. */
export interface IdentityChange {
  change: 'linked' | 'unlinked';
  issuer: string;
  /** The person's address. */
  to: string;
}

/** Who links or unlinks. */
interface Linker extends Caller {
  /** As X-Request-Id names it. */
  requestId: string;
}

/**
 * Links to a person whom the identity provider says that they are, in the sign-in that has left for it and in no other: whoever puts a
 * ticket of theirs into somebody's browser is linked to nothing. A second time it changes nothing.
 * @param back what their browser has kept, and what the identity provider has added to our address
 * @throws Problem `sign_in_expired`, `link_of_another`, `sign_in_cancelled`, `sign_in_refused`, `unavailable`, `identity_taken`, `too_many_identities`
 */
export async function linkIdentity(
  { people, issuer: settings, publicUrl }: OpenIdConnectDeps,
  { person, signIn, requestId }: Linker,
  { ticket, query }: { ticket: string | undefined; query: string },
): Promise<IdentityChange | undefined> {
  const departure = ticket === undefined ? undefined : await takeDeparture(people, sha256(ticket));
  if (!departure) throw problems.signInExpired();
  if (departure.linking !== signIn) throw problems.linkOfAnother();
  const identity = await finish(settings, new URL(`${publicUrl}${callbackPath}${query}`), departure);
  const { issuer, subject } = identity;
  const deed: Deed = { action: 'identity.linked', target: person, details: { issuer } };
  return auditedEverywhere(people, { person, requestId }, deed, async (q) => {
    const locked = await lockPerson(q, person);
    if (!locked) throw problems.invalidToken();
    if (!(await lasts(q, { signIn, person }))) throw problems.signInExpired();
    const known = await findPersonByIdentity(q, identity);
    if (known) {
      if (known.id !== person) throw problems.identityTaken();
      return undefined;
    }
    if ((await listIdentities(q, person)).length >= mostIdentities) throw problems.tooManyIdentities(mostIdentities);
    if (!(await insertIdentity(q, { issuer, subject, person }))) throw problems.identityTaken();
    return { change: 'linked', issuer, to: locked.email } as const;
  });
}

/**
 * Ends whatever else the person is signed in with, too: what is unlinked may have opened it, and they may unlink it for that very reason.
 * @throws Problem `identity_not_found`, `last_way_in`
 */
export async function unlinkIdentity(
  people: Database,
  { person, signIn, identity, requestId }: Linker & { identity: string },
  { takesPasswords, issuer }: WaysIn,
): Promise<IdentityChange | undefined> {
  const deed: Deed = { action: 'identity.unlinked', target: person };
  return auditedEverywhere(people, { person, requestId }, deed, async (q) => {
    // Of two at the same time the second sees what the first has left.
    const locked = await lockPerson(q, person);
    if (!locked) throw problems.invalidToken();
    const rows = await listIdentities(q, person);
    const meant = rows.find(({ id }) => id === identity);
    if (!meant) throw problems.identityNotFound();
    const hasPassword = takesPasswords && locked.password !== null;
    // Whom a former identity provider knew is no way in.
    const ways = rows.filter((row) => row.issuer === issuer);
    if (!hasPassword && ways.length === 1 && ways.includes(meant)) throw problems.lastWayIn();
    await deleteIdentity(q, { person, identity });
    await endOtherSignIns(q, { person, signIn });
    return { change: 'unlinked', issuer: meant.issuer, to: locked.email } as const;
  });
}
