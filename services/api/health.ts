import type { Rooms } from '../core/rooms/rooms.ts';
import { type Queryable, sql } from '../store/sql.ts';

export interface HealthCheck {
  /** What can't be reached, as words for a sentence; empty when all is well. At most a second old. */
  missing(): Promise<string[]>;
}

const freshMs = 1_000;
const deadlineMs = 1_500;

/** Looks at the database and the room server, at most once a second however many ask. */
export function makeHealthCheck({ db, rooms }: { db: Queryable; rooms: Pick<Rooms, 'list'> }): HealthCheck {
  let latest: { until: number; missing: Promise<string[]> } | undefined;
  const look = async () => {
    const [database, roomServer] = await Promise.all([
      answers(db.query(sql`select 1`)),
      answers(rooms.list(['health'])),
    ]);
    return [...(database ? [] : ['the database']), ...(roomServer ? [] : ['the room server'])];
  };
  return {
    missing: () => {
      if (!latest || performance.now() > latest.until) {
        const missing = look();
        // Whoever asks while the answer is on its way shares it.
        const entry = { until: Number.POSITIVE_INFINITY, missing };
        latest = entry;
        void missing.then(() => {
          entry.until = performance.now() + freshMs;
        });
      }
      return latest.missing;
    },
  };
}

function answers(question: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const deadline = setTimeout(resolve, deadlineMs, false);
    const settle = (answered: boolean) => {
      clearTimeout(deadline);
      resolve(answered);
    };
    question.then(
      () => settle(true),
      () => settle(false),
    );
  });
}
