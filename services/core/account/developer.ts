import { problems } from '../../contract/problems.ts';
import type { Database } from '../../store/database.ts';
import { addMember } from '../../store/tables/memberships.ts';
import { findPerson, findPersonByEmail, insertPerson } from '../../store/tables/persons.ts';
import { usedToken, writeOneUseToken } from './one-use-tokens.ts';
import { type SignedIn, type SignInDeps, signInAs } from './sign-in.ts';

/** No mail can go there (RFC 6761, 6.3), and nobody needs its password: there is none. */
const developer = { email: 'developer@parley.localhost', name: 'Developer', password: null };

/** Makes whoever works on this machine an owner of the tenant, and gives the token that signs them in: once, within ten minutes. */
export const developerToken = (people: Database, tenant: string): Promise<string> =>
  people.asTenant(tenant, async (tx) => {
    const person = (await insertPerson(tx, developer)) ?? (await findPersonByEmail(tx, developer.email));
    if (!person) throw new Error('the developer was removed while being made');
    await addMember(tx, { tenant, person: person.id, role: 'owner' });
    return writeOneUseToken(tx, 'sign_in', person.id);
  });

/** @throws Problem `link_not_open` */
export async function signInByLink(deps: SignInDeps, token: string): Promise<SignedIn> {
  const id = await usedToken(deps.people, 'sign_in', token);
  const person = id && (await findPerson(deps.people, id));
  if (!person) throw problems.linkNotOpen();
  return signInAs(deps, person);
}
