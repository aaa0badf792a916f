import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** Statements that come behind a change of a table wait as long as it waits itself: nobody is held up for longer than this at a time. */
export const lockTimeoutMs = 2_000;
const longestPauseMs = 15_000;
/** The job of a stack has 15 minutes for all (infra/components/preparation.ts). */
const patienceMs = 600_000;

/** lock_not_available and deadlock_detected: nothing is wrong with what was asked. */
const inTheWay = new Set(['55P03', '40P01']);

/**
 * Runs `work` in a transaction. It waits at most 2 s for a lock; where that is too short (a backup reads the table, say), all is
 * undone, everybody else goes on, and it is tried again, for 10 minutes.
 * @throws Error that says what failed, called `name`; it has changed nothing
 */
export async function orNothing(client: pg.Client, name: string, work: () => Promise<void>): Promise<void> {
  try {
    await untilLocked(() => transaction(client, work));
  } catch (error) {
    const { message, hint } = error as pg.DatabaseError;
    const text = [message, hint].filter(Boolean).join('. ');
    throw new Error(`${name} failed and changed nothing: ${text}`, { cause: error });
  }
}

/** Tries again, for 10 minutes, what undid itself because others held a lock. */
export async function untilLocked(attempt: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  for (let pauseMs = 500; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      const isInTheWay = error instanceof pg.DatabaseError && inTheWay.has(error.code ?? '');
      if (!isInTheWay || performance.now() > giveUpAt) throw error;
    }
    await sleep(pauseMs);
  }
}

async function transaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await work();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
