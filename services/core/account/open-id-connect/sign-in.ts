import { randomBytes } from 'node:crypto';
import { Problem, problems } from '../../../contract/problems.ts';
import { insertDeparture, takeDeparture } from '../../../store/tables/departures.ts';
import { findPersonByIdentity } from '../../../store/tables/identities.ts';
import type { PersonRow } from '../../../store/tables/persons.ts';
import {
  acceptByIdentity,
  invitationOf,
  invitationsOf,
  type LocatedInvitation,
} from '../../members/accept-by-identity.ts';
import { hashOfInvitation } from '../../members/write-invitation.ts';
import { sha256 } from '../../sessions/ids.ts';
import { type SignInDeps, signInAs } from '../sign-in.ts';
import { linkIdentity } from './identities.ts';
import { begin, finish, type Identity, type IssuerSettings } from './issuer.ts';

export interface OpenIdConnectDeps extends SignInDeps {
  issuer: IssuerSettings;
  /** Where people reach us, without a slash at its end. */
  publicUrl: string;
}

export interface Leaving {
  /** `inv_…`, to be accepted when they come back. */
  invitation: string | undefined;
  /** The path of a page of ours. */
  destination: string;
  /** The sign-in of whoever links an identity to themselves. */
  linking?: string;
}

/** Where somebody who has come back is led; without `refreshToken` they have signed in no anew. */
export interface Arrival {
  destination: string;
  refreshToken?: string;
  /** Why nothing was linked. */
  refused?: Problem;
}

export const departureMs = 10 * 60_000;
/** Where identity providers send people back to. */
export const callbackPath = '/auth/oidc/callback';

/** Sends somebody to the identity provider: where, and what their browser is to show when they come back. @throws Problem `unavailable` */
export async function leave(
  { people, issuer, publicUrl }: OpenIdConnectDeps,
  { invitation, destination, linking }: Leaving,
): Promise<{ location: string; ticket: string }> {
  const { url, ...begun } = await begin(issuer, publicUrl + callbackPath);
  const ticket = randomBytes(32).toString('base64url');
  await insertDeparture(people, {
    ...{ ...begun, hash: sha256(ticket), destination, linking: linking ?? null, validMs: departureMs },
    invitation: invitation === undefined ? null : hashOfInvitation(invitation),
  });
  return { location: url.href, ticket };
}

/**
 * Signs in whoever has come back, or links to them whom the identity provider knows them as. Whom nobody knows by issuer and subject has to be invited, under an address that the identity provider has verified.
 * @param query what the identity provider has added to our address
 * @throws Problem `sign_in_expired`, `sign_in_cancelled`, `sign_in_refused`, `unavailable`, `not_invited`, `account_exists`, `invitation_not_open`
 */
export async function comeBack(
  deps: OpenIdConnectDeps,
  { ticket, query, requestId }: { ticket: string | undefined; query: string; requestId: string },
): Promise<Arrival> {
  const departure = ticket === undefined ? undefined : await takeDeparture(deps.people, sha256(ticket));
  if (!departure) throw problems.signInExpired();
  const { destination, linking } = departure;
  const back = finish(deps.issuer, new URL(`${deps.publicUrl}${callbackPath}${query}`), departure);
  if (linking !== null) {
    const refused = await link(deps, { signIn: linking, identity: back, requestId });
    return refused ? { destination: `${destination}#error=${refused.code}`, refused } : { destination };
  }
  const identity = await back;
  const known = await findPersonByIdentity(deps.people, identity);
  const person =
    known && !departure.invitation ? known : await enter(deps, { identity, known, requestId }, departure.invitation);
  const { refreshToken } = await signInAs(deps, person);
  return { refreshToken, destination };
}

/** Whoever links is signed in and has a page to be told on: a refusal leads there. */
async function link(
  { people }: OpenIdConnectDeps,
  { identity, ...by }: { signIn: string; identity: Promise<Identity>; requestId: string },
): Promise<Problem | undefined> {
  try {
    await linkIdentity(people, { ...by, identity: await identity });
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

interface Comer {
  identity: Identity;
  known: PersonRow | undefined;
  /** As X-Request-Id names it. */
  requestId: string;
}

async function enter({ people }: OpenIdConnectDeps, comer: Comer, token: Buffer | null): Promise<PersonRow> {
  const invitations: LocatedInvitation[] =
    token === null ? await invitationsOf(people, comer.identity.email) : [await invitationOf(people, token)];
  let { known } = comer;
  for (const invitation of invitations) known = await acceptByIdentity(people, invitation, { ...comer, known });
  if (!known) throw problems.notInvited();
  return known;
}
