import type { Rooms } from '../core/rooms/rooms.ts';
import { sharedLook } from '../process/shared-look.ts';
import { within } from '../process/within.ts';
import type { Database } from '../store/database.ts';
import { sql } from '../store/sql.ts';

export interface HealthCheck {
  /** What can't be reached, as words for a sentence; empty when all is well. At most a second old. */
  missing(): Promise<string[]>;
  /** Whether the database had no room for something lately. */
  isFull(): boolean;
}

/** What `missing` calls them. */
export const named = { database: 'the database', rooms: 'the room server' } as const;

const freshMs = 1_000;
const deadlineMs = 1_500;
/** A full disk is known by what could not be stored: as long as this it is taken to be full still. */
const fullForMs = 30_000;

interface HealthDeps {
  db: Pick<Database, 'query' | 'wasFullWithin'>;
  rooms: Pick<Rooms, 'list'>;
}

/** Looks at the database and the room server, at most once a second however many ask. */
export function makeHealthCheck({ db, rooms }: HealthDeps): HealthCheck {
  const look = async () => {
    const [database, roomServer] = await Promise.all([
      answers(named.database, db.query(sql`select 1`)),
      answers(named.rooms, rooms.list(['health'])),
    ]);
    return [...(database ? [] : [named.database]), ...(roomServer ? [] : [named.rooms])];
  };
  return { missing: sharedLook(look, freshMs), isFull: () => db.wasFullWithin(fullForMs) };
}

const answers = (what: string, question: Promise<unknown>): Promise<boolean> =>
  within(deadlineMs, what, question).then(
    () => true,
    () => false,
  );
