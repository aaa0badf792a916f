import { randomBytes } from 'node:crypto';
import { problems } from '../../../contract/problems.ts';
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
import { type SignedIn, type SignInDeps, signInAs } from '../sign-in.ts';
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
 * Signs in whoever has come back. Whom nobody knows by issuer and subject has to be invited, under an address that the identity provider has verified.
 * @param query what the identity provider has added to our address
 * @throws Problem `sign_in_expired`, `sign_in_cancelled`, `sign_in_refused`, `unavailable`, `not_invited`, `account_exists`, `invitation_not_open`
 */
export async function comeBack(
  deps: OpenIdConnectDeps,
  { ticket, query, requestId }: { ticket: string | undefined; query: string; requestId: string },
): Promise<SignedIn & { destination: string }> {
  const departure = ticket === undefined ? undefined : await takeDeparture(deps.people, sha256(ticket));
  if (!departure || departure.linking !== null) throw problems.signInExpired();
  const identity = await finish(deps.issuer, new URL(`${deps.publicUrl}${callbackPath}${query}`), departure);
  const known = await findPersonByIdentity(deps.people, identity);
  const person =
    known && !departure.invitation ? known : await enter(deps, { identity, known, requestId }, departure.invitation);
  return { ...(await signInAs(deps, person)), destination: departure.destination };
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
