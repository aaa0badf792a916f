import type { Rooms } from '../core/rooms/rooms.ts';
import { sharedLook } from '../process/shared-look.ts';
import { within } from '../process/within.ts';
import { type Queryable, sql } from '../store/sql.ts';

export interface HealthCheck {
  /** What can't be reached, as words for a sentence; empty when all is well. At most a second old. */
  missing(): Promise<string[]>;
}

/** What `missing` calls them. */
export const named = { database: 'the database', rooms: 'the room server' } as const;

const freshMs = 1_000;
const deadlineMs = 1_500;

/** Looks at the database and the room server, at most once a second however many ask. */
export function makeHealthCheck({ db, rooms }: { db: Queryable; rooms: Pick<Rooms, 'list'> }): HealthCheck {
  const look = async () => {
    const [database, roomServer] = await Promise.all([
      answers(named.database, db.query(sql`select 1`)),
      answers(named.rooms, rooms.list(['health'])),
    ]);
    return [...(database ? [] : [named.database]), ...(roomServer ? [] : [named.rooms])];
  };
  return { missing: sharedLook(look, freshMs) };
}

const answers = (what: string, question: Promise<unknown>): Promise<boolean> =>
  within(deadlineMs, what, question).then(
    () => true,
    () => false,
  );
