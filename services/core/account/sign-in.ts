import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { findPerson, findPersonByEmail, type PersonRow } from '../../store/tables/persons.ts';
import {
  endReused,
  endSignIn,
  findSuccessor,
  forgetSignIns,
  insertSignIn,
  rotateSignIn,
  type SignInRow,
} from '../../store/tables/sign-ins.ts';
import { accessSeconds, signAccessToken } from './access-token.ts';
import { isPassword } from './passwords.ts';
import type { PeopleKeys } from './people-keys.ts';
import { readRefreshToken, writeRefreshToken } from './refresh-token.ts';
import { throttled } from './throttle.ts';

export interface SignInDeps {
  /** The database as the role for persons. */
  people: Database;
  peopleKeys: PeopleKeys;
}

export interface SignedIn {
  accessToken: string;
  /** For the cookie, and nowhere else. */
  refreshToken: string;
  expiresInSeconds: number;
  person: { id: string; email: string; name: string };
}

export interface PasswordGiven {
  email: string;
  password: string;
  address: string;
}

export const refreshMs = 30 * 24 * 3_600_000;
/**
 * So long a refresh may be repeated: its answer was lost, or two tabs asked at once. Each is given the same successor, so nothing forks. Longer
 * than a client waits for an answer, shorter than any refresh is apart from the next (ten minutes).
 */
const graceMs = 10_000;

/** Signs in by password. @throws Problem `sign_in_failed`, `rate_limited` */
export async function signIn(deps: SignInDeps, given: PasswordGiven): Promise<SignedIn> {
  return signInAs(deps, await personOf(deps, { ...given, email: given.email.toLowerCase() }));
}

/** Whose address and password these are. @param email in lower case. @throws Problem `sign_in_failed`, `rate_limited` */
export async function personOf(
  { people }: SignInDeps,
  { email, password, address }: PasswordGiven,
): Promise<PersonRow> {
  const person = await findPersonByEmail(people, email);
  const isRight = await throttled(people, { email, address }, () => isPassword(password, person?.password ?? null));
  if (!person || !isRight) throw problems.signInFailed();
  return person;
}

/** A new sign-in of somebody who has shown who they are. */
export async function signInAs(deps: SignInDeps, person: PersonRow): Promise<SignedIn> {
  await forgetSignIns(deps.people, person.id);
  const { id } = await insertSignIn(deps.people, { person: person.id, validMs: refreshMs });
  return tokensFor(deps, person, { signIn: id, generation: 0 });
}

/**
 * The next pair of tokens. A token whose successor was taken longer ago than the grace was stolen, or its successor was: the whole sign-in ends.
 * @throws Problem `invalid_token`
 */
export async function refresh(deps: SignInDeps, token: string): Promise<SignedIn> {
  const given = readRefreshToken(deps.peopleKeys, token);
  if (!given) throw problems.invalidToken();
  const next = await nextGeneration(deps.people, given);
  const person = next && (await findPerson(deps.people, next.person));
  if (!person) throw problems.invalidToken();
  return tokensFor(deps, person, { signIn: given.signIn, generation: next.generation });
}

async function nextGeneration(
  people: Database,
  given: { signIn: string; generation: number },
): Promise<SignInRow | undefined> {
  const next =
    (await rotateSignIn(people, { ...given, validMs: refreshMs })) ??
    (await findSuccessor(people, { ...given, graceMs }));
  if (!next) await endReused(people, given);
  return next;
}

/** Ends the sign-in of this token; one that is none of ours ends nothing. */
export async function signOut({ people, peopleKeys }: SignInDeps, token: string | undefined): Promise<void> {
  const given = token === undefined ? undefined : readRefreshToken(peopleKeys, token);
  if (given) await endSignIn(people, given.signIn);
}

async function tokensFor(
  { peopleKeys }: SignInDeps,
  { id, email, name }: PersonRow,
  generation: { signIn: string; generation: number },
): Promise<SignedIn> {
  return {
    accessToken: await signAccessToken(peopleKeys, { person: id, signIn: generation.signIn }),
    refreshToken: writeRefreshToken(peopleKeys, generation),
    expiresInSeconds: accessSeconds,
    person: { id, email, name },
  };
}
