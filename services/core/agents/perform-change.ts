import type { CheckOptions } from '../../agent-files/check-files.ts';
import { Problem, problems } from '../../contract/problems.ts';
import type { Database, Tx } from '../../store/database.ts';
import {
  type AgentChangeRow,
  beginChange,
  type ChangeProblem,
  settleRefused,
  settleWritten,
} from '../../store/tables/agent-changes.ts';
import { scenarioOf } from '../scenarios/from-session.ts';
import type { Wanted } from './change-file.ts';
import { settleJudged } from './source-files.ts';
import type { Writer, WrittenChange } from './writers.ts';

/** The source of one tenant's agents, where this process may write to it. */
export interface WritableSource {
  /** The tenant's id. @throws Error while there is no such tenant */
  tenant(): Promise<string>;
  write: Writer;
  /** As revisions are judged by. */
  options(): Promise<CheckOptions>;
  /** Looks at the source again: it has changed. */
  onWritten(): void;
}

export interface ChangeDeps {
  db: Database;
  /** Undefined where this process keeps no agents, or may write nothing. */
  writable?: WritableSource | undefined;
}

/** A repository that is away comes back, or a person who waits has long gone. */
const mostAttempts = 5;

/**
 * Writes what a person asked for, and what came of it. May run twice: what an earlier run has pushed is found.
 * @throws what may pass, to be tried again: the repository or the database is away
 */
export async function performChange(
  deps: ChangeDeps,
  { tenant, change }: { tenant: string; change: string },
): Promise<'written' | 'refused' | 'nothing_to_do'> {
  const { db, writable } = deps;
  // Of several tenants' workers in one database each writes for its own.
  if (writable && (await writable.tenant()) !== tenant)
    throw new Error('another worker keeps the agents of this tenant');
  const row = await db.asTenant(tenant, (tx) => beginChange(tx, change));
  if (!row) return 'nothing_to_do';
  const outcome = await attempt(deps, tenant, row);
  if ('problem' in outcome) {
    await db.asTenant(tenant, (tx) => settleRefused(tx, row.id, outcome.problem));
    return 'refused';
  }
  const { commit, branch, fileId, fellBack, link } = outcome.written;
  await db.asTenant(tenant, async (tx) => {
    await settleWritten(tx, { id: row.id, commit, branch, file_id: fileId, fell_back: fellBack, link });
    // Where the file said it already, it was judged before.
    await settleJudged(tx);
  });
  writable?.onWritten();
  return 'written';
}

/** A conversation is read when it is written, so that no second copy of it waits meanwhile. @throws Problem `session_not_found` where it was erased */
async function inFull(tx: Tx, wanted: AgentChangeRow['wanted']): Promise<Wanted> {
  if (!('session' in wanted)) return wanted;
  const { draft } = await scenarioOf(tx, wanted.session, { name: wanted.name, isMasked: wanted.isMasked });
  return { scenario: draft };
}

async function attempt(
  { db, writable }: ChangeDeps,
  tenant: string,
  row: AgentChangeRow,
): Promise<{ written: WrittenChange } | { problem: ChangeProblem }> {
  try {
    if (!writable) throw problems.promptsReadOnly('The worker that took this up may write nothing.');
    const change = { ...row, wanted: await db.asTenant(tenant, (tx) => inFull(tx, row.wanted)) };
    return { written: await writable.write(change, await writable.options()) };
  } catch (error) {
    const problem = error instanceof Problem ? error : problems.internal();
    const mayPass = problem.status >= 500;
    if (mayPass && row.attempts < mostAttempts) throw error;
    const { status, code, message, details } = problem;
    return { problem: { status, code, message, ...(details && { details }) } };
  }
}
