import { randomBytes } from 'node:crypto';
import type { Database } from '../../store/database.ts';
import { findPersonByEmail, setPassword } from '../../store/tables/persons.ts';
import { endSignInsOf } from '../../store/tables/sign-ins.ts';
import { hashPassword } from './passwords.ts';
import { forgiveAccount } from './throttle.ts';

/** A new password, which is shown once; whoever was signed in is not any more. Undefined when nobody has this address. */
export async function resetPassword(people: Database, address: string): Promise<string | undefined> {
  const email = address.toLowerCase();
  const person = await findPersonByEmail(people, email);
  if (!person) return undefined;
  const password = randomBytes(18).toString('base64url');
  await setPassword(people, { person: person.id, password: await hashPassword(password) });
  await endSignInsOf(people, person.id);
  await forgiveAccount(people, email);
  return password;
}
