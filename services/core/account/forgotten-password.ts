import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { countAttempt } from '../../store/tables/attempts.ts';
import { findPerson, findPersonByEmail, setPassword } from '../../store/tables/persons.ts';
import { endSignInsOf } from '../../store/tables/sign-ins.ts';
import { type LetterLanguage, resetLetter } from '../mail/letters.ts';
import type { Post } from '../members/hand-over-invitation.ts';
import { sha256 } from '../sessions/ids.ts';
import { usedToken, writeOneUseToken } from './one-use-tokens.ts';
import { hashPassword } from './passwords.ts';
import { type SignedIn, type SignInDeps, signInAs } from './sign-in.ts';
import { forgiveAccount } from './throttle.ts';

export interface ForgottenDeps {
  people: Database;
  post: Post;
}

const hourMs = 3_600_000;

/** Letters that are asked for, whether or not somebody has the address, so that a refusal tells nothing either. */
const limits = (email: string, address: string) => [
  { key: sha256('letters to', email), most: 3, windowMs: hourMs },
  { key: sha256('letters asked for by', address), most: 20, windowMs: hourMs },
];

/** Counts one more letter, in the database, for all replicas. @throws Problem `rate_limited` */
export async function countLetter(people: Database, { email, address }: { email: string; address: string }) {
  const { secondsLeft } = await countAttempt(people, limits(email.toLowerCase(), address));
  if (secondsLeft !== null) throw problems.rateLimited(secondsLeft);
}

/**
 * Writes to whoever has this address and signs in by password. Somebody whom an identity provider lets in is given no way around it. The
 * caller must not wait: how long it takes would tell whether there is somebody.
 */
export async function sendReset(
  { people, post }: ForgottenDeps,
  address: string,
  language: LetterLanguage,
): Promise<void> {
  const person = await findPersonByEmail(people, address.toLowerCase());
  if (!person || person.password === null) return;
  const token = await writeOneUseToken(people, 'reset_password', person.id);
  const link = `${post.publicUrl}/reset-password#${token}`;
  await post.mailer.send(resetLetter(language, { to: person.email, link }));
}

/** A new password by what a letter has brought; ends what was signed in, and signs in anew. @throws Problem `reset_not_open` */
export async function chooseNewPassword(
  deps: SignInDeps,
  { token, password }: { token: string; password: string },
): Promise<SignedIn> {
  const { people } = deps;
  const id = await usedToken(people, 'reset_password', token);
  const person = id && (await findPerson(people, id));
  if (!person) throw problems.resetNotOpen();
  await setPassword(people, { person: person.id, password: await hashPassword(password) });
  await endSignInsOf(people, person.id);
  await forgiveAccount(people, person.email);
  return signInAs(deps, person);
}
