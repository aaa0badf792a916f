import { bestEffort } from '../../process/best-effort.ts';
import { type Queryable, sql } from '../../store/sql.ts';

/** After an outage of ours people need this long to find back before their absence counts against them. */
export const calmAfterMs = 15_000;

/** Remembers when something of ours (database, room server) was last seen to be away. */
export interface Outages {
  /** Something of ours could not be reached just now. */
  note(): void;
  /** Milliseconds until absences count again; 0 when they do. */
  calmInMs(): number;
}

/** `elapsedMs` is a monotonic clock. */
export function makeOutages(elapsedMs: () => number = () => performance.now()): Outages {
  let last = Number.NEGATIVE_INFINITY;
  return {
    note: () => {
      last = elapsedMs();
    },
    calmInMs: () => Math.max(0, last + calmAfterMs - elapsedMs()),
  };
}

/** Whether the database answers: what else fails there is a fault of that alone, and no outage. */
export const answers = async (db: Queryable): Promise<boolean> =>
  (await bestEffort('this is what is asked', db.query(sql`select 1`))) !== undefined;
