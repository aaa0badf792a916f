import { problems } from '../../contract/problems.ts';
import { isDatabaseUnavailable } from '../../store/database.ts';
import type { Queryable } from '../../store/sql.ts';
import type { CreateResult } from '../../store/tables/sessions.ts';
import { insertSession, insertSessions, type NewSession, sharedTerms } from '../channels/new-session.ts';

export type InsertSession = (session: NewSession) => Promise<CreateResult>;

interface Asked {
  session: NewSession;
  answer: PromiseWithResolvers<CreateResult>;
}

/** In one statement; the exactness of the caps near their end allows for it (functions/free_below_cap.sql). */
const most = 32;
/** A process makes some thousand sessions a second: who comes behind this many would wait for longer than the agent may take. */
const mostWaiting = 2_000;

/**
 * Makes sessions, those of one agent together: while one statement is under way what is asked for waits, and goes into the
 * next. A session by itself costs PostgreSQL nearly as much as five in one statement (measured: 620 µs of its CPU for one
 * alone, 130 µs for each of 8), and all of them one commit. Each has its own answer, and its own error: `unavailable` when too
 * many wait already.
 */
export function insertTogether(q: Queryable): InsertSession {
  const lines = new Map<string, Asked[]>();
  let waiting = 0;
  const serve = async (terms: string, line: Asked[]) => {
    while (line.length > 0) {
      const next = line.splice(0, most);
      try {
        await insertAll(q, next);
      } catch (error) {
        // The database is away, and nobody waits to find that out once more.
        for (const { answer } of [...next, ...line.splice(0)]) answer.reject(error);
      }
    }
    lines.delete(terms);
  };
  const insert: InsertSession = (session) => {
    // What may be a repetition of an earlier request answers for itself.
    if (session.idempotency || session.signature) return insertSession(q, session);
    const terms = JSON.stringify(sharedTerms(session));
    const asked: Asked = { session, answer: Promise.withResolvers() };
    const line = lines.get(terms);
    if (line) line.push(asked);
    else {
      const begun = [asked];
      lines.set(terms, begun);
      void serve(terms, begun);
    }
    return asked.answer.promise;
  };
  return async (session) => {
    if (waiting >= mostWaiting) throw problems.tooManyCreations();
    waiting += 1;
    try {
      return await insert(session);
    } finally {
      waiting -= 1;
    }
  };
}

/** @throws only when the database is away; a session that it refuses is told so without harm to the others. */
async function insertAll(q: Queryable, asked: readonly Asked[]): Promise<void> {
  try {
    const made = await insertSessions(
      q,
      asked.map(({ session }) => session),
    );
    for (const [index, result] of made.entries()) asked[index]?.answer.resolve(result);
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    if (asked.length === 1) asked[0]?.answer.reject(error);
    else for (const one of asked) await insertAll(q, [one]);
  }
}
