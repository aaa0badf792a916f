import type { CreatedSession, Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';

export interface Caller {
  session: CreatedSession;
  person: Person;
}

/** Most that are in the middle of joining at the same time. */
const atOnce = 4;
/** As long as a session waits for its agent. */
const greetedWithinMs = 180_000;

/** People who are greeted, each write once and are answered. Who finds no agent waits for one in the room. */
export async function talk(customer: Customer, people: number): Promise<Caller[]> {
  const callers: Caller[] = [];
  let open = people;
  const inTurn = async () => {
    while (open > 0) {
      open -= 1;
      const session = await customer.createSession({ interactionMode: 'TEXT' });
      const person = await Person.join(session);
      await person.hears(/./, { withinMs: greetedWithinMs });
      await person.ask('Hello');
      callers.push({ session, person });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, inTurn));
  return callers;
}

/** Their sessions end when the grace for coming back is over. */
export const hangUp = (callers: readonly Caller[]) => Promise.all(callers.map(({ person }) => person.leave()));
