import type { Clock } from '../../process/clock.ts';
import type { GuardedFetch } from '../../process/outbound/guarded-fetch.ts';
import type { Database, Tx } from '../../store/database.ts';
import {
  findUntoldRevision,
  type RevisionReason,
  type RevisionRow,
  settleHostStatus,
} from '../../store/tables/agent-revisions.ts';
import { addJob } from '../../store/tables/jobs.ts';
import { type CommitStatusSettings, postStatus, type StatusAttempt } from '../git/commit-status.ts';

export interface CommitStatusDeps {
  db: Database;
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  guardedFetch: GuardedFetch;
  allowLoopback: boolean;
  /** What the waits between attempts are multiplied by; 1 except in tests. */
  retryScale: number;
  commitStatus: CommitStatusSettings | undefined;
}

export interface RevisionId {
  tenant: string;
  revision: number;
}

const second = 1_000;
const minute = 60 * second;
/** Six attempts in about an hour and a half: a status that comes later helps nobody. */
const waitsMs: readonly number[] = [10 * second, minute, 5 * minute, 20 * minute, 60 * minute];

/** Puts the post on the worker's list, in the transaction that stores the revision. One post at a time, so that none overtakes. */
export const queueCommitStatus = (tx: Tx, id: RevisionId, runAt?: Date) =>
  addJob(tx, 'post_commit_status', id, {
    key: `commit status ${id.revision}`,
    queue: 'commit statuses',
    ...(runAt && { runAt }),
  });

/**
 * One attempt to tell the Git host what came of a revision's commit. The revision has been judged long before: nothing waits
 * for this, and when every attempt has failed that is only noted.
 */
export async function publishCommitStatus(
  deps: CommitStatusDeps,
  { tenant, revision }: RevisionId,
): Promise<StatusAttempt['result'] | 'nothing_to_do'> {
  const row = await deps.db.asTenant(tenant, (tx) => findUntoldRevision(tx, revision));
  if (!row || row.commit === null) return 'nothing_to_do';
  const attempt = await attemptFor(deps, row, row.commit);
  await deps.db.asTenant(tenant, (tx) => settle(deps, tx, { tenant, row, attempt }));
  return attempt.result;
}

async function attemptFor(deps: CommitStatusDeps, row: RevisionRow, commit: string): Promise<StatusAttempt> {
  const { commitStatus, env } = deps;
  if (!commitStatus) return { result: 'refused', error: 'This worker was not told of a Git host.' };
  const token = env[commitStatus.tokenEnv]?.trim();
  if (!token)
    return { result: 'again', error: `The variable ${commitStatus.tokenEnv}, which holds the token, is empty.` };
  return postStatus(deps, commitStatus, { token, status: { commit, ...wordsFor(row) } });
}

/** The first reason is where its author begins. */
function wordsFor({ state, reasons: [first], warnings: [warning] }: RevisionRow): {
  isGood: boolean;
  description: string;
} {
  if (first) return { isGood: false, description: state === 'refused' ? lineOf(first) : `Held back: ${lineOf(first)}` };
  if (warning) return { isGood: false, description: `Live, but: ${lineOf(warning)}` };
  return { isGood: state === 'active', description: state === 'active' ? 'The agents are live.' : 'Refused.' };
}

const lineOf = ({ file, line, column, message }: RevisionReason): string => `${file}:${line}:${column} ${message}`;

async function settle(
  { clock, retryScale }: CommitStatusDeps,
  tx: Tx,
  { tenant, row, attempt }: { tenant: string; row: RevisionRow; attempt: StatusAttempt },
): Promise<void> {
  const waitMs = attempt.result === 'again' ? waitsMs[row.host_attempts] : undefined;
  const failed = waitMs === undefined ? 'failed' : 'pending';
  await settleHostStatus(tx, {
    id: row.id,
    host_status: attempt.result === 'posted' ? 'posted' : failed,
    host_attempts: row.host_attempts + 1,
    host_error: attempt.error,
  });
  if (waitMs === undefined) return;
  const runAt = new Date(clock.now().getTime() + waitMs * retryScale);
  await queueCommitStatus(tx, { tenant, revision: row.id }, runAt);
}
