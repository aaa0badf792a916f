/** A hostile visitor in a process of its own, so that what it sends does not wait for those who measure. */

import { sleep } from '../../../services/process/sleep.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { type Flood, floods } from '../../support/people/visitor.ts';
import { serve } from '../remote.ts';

/** Between tries with a token that no longer opens the room: it does not give up. */
const betweenTriesMs = 100;

interface Attack {
  what: Flood;
  /** Of one flood. */
  count: number;
  forMs: number;
  connection: { wsUrl: string; token: string };
}

/** Floods, and comes again whenever it is sent out. Tells how often that was, and how often its token opened nothing any more. */
async function attack({ what, count, forMs, connection }: Attack): Promise<{ sentOut: number; refused: number }> {
  const until = performance.now() + forMs;
  let sentOut = 0;
  let refused = 0;
  while (performance.now() < until) {
    const visitor = await Person.join(connection).catch(() => undefined);
    if (!visitor) {
      refused += 1;
      await sleep(betweenTriesMs);
    } else if (await isSentOutFor(visitor, floods[what](visitor, count), until)) sentOut += 1;
  }
  return { sentOut, refused };
}

async function isSentOutFor(visitor: Person, flood: Promise<void>, until: number): Promise<boolean> {
  await Promise.race([flood, sleep(until - performance.now())]);
  try {
    // Whoever is sent out learns it a moment after the first call that the room does not take.
    await eventually('sent out', () => visitor.disconnectedBecause !== undefined, { withinMs: 2_000 });
    return true;
  } catch {
    await visitor.leave();
    return false;
  }
}

export const attackerCommands = { attack };

serve(attackerCommands);
