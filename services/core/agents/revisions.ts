import type { Fault } from '../../agent-files/faults.ts';
import {
  insertRevision,
  lockRevisions,
  type NewRevision,
  newestRevision,
  type RevisionReason,
  type RevisionRow,
  setWarnings,
} from '../../store/tables/agent-revisions.ts';
import { storable } from '../../store/text.ts';
import { type Activation, type PublishDeps, publishWithin, type Revision, tellOf } from './publish.ts';
import { queueCommitStatus } from './publish-commit-status.ts';

export interface OfferedRevision extends Revision {
  /** Where it comes from, told to people; never with a credential in it. */
  source: string;
  /** Of the commit; null for a folder, as is its subject. */
  author: string | null;
  subject: string | null;
  /** Whether it may be made live. */
  state: RevisionRow['state'];
  /** Why it was refused; of an active one, why some of its agents stay as they were. */
  reasons: readonly Fault[];
  /**
   * The id of the newest revision of this source, read before the source was looked at; null when there was none. With it, a
   * process that looked earlier than another never overwrites what that one found later. Undefined: the source has no order.
   */
  seen: number | null | undefined;
  /** Whether the Git host is told what came of the commit. */
  wantsCommitStatus: boolean;
}

/** `overtaken`: another process has judged a later state of the source meanwhile; look again. */
export type Judgement = { outcome: 'activated'; activation: Activation } | { outcome: 'refused' | 'overtaken' };

const nothingChanged: Activation = { changed: [], deleted: [] };
/** Enough for a person to begin with. */
const reasonsKept = 50;

/**
 * Makes a revision live or notes that it was refused, in one transaction that no other of the tenant overlaps. Two processes
 * that judge the same commit agree; of two that judge different ones, the one that looked at the source last decides.
 */
export async function judgeRevision(deps: PublishDeps, offered: OfferedRevision): Promise<Judgement> {
  const { tenant, source, state } = offered;
  const row = rowOf(offered);
  const judgement = await deps.db.asTenant(tenant, async (tx): Promise<Judgement> => {
    await lockRevisions(tx, tenant);
    const newest = await newestRevision(tx, source);
    if (isOvertaken(offered, newest)) return { outcome: 'overtaken' };
    const activation = state === 'active' ? await publishWithin(tx, deps, offered) : nothingChanged;
    if (isNews(row, newest) || activation.changed.length + activation.deleted.length > 0) {
      const stored = await insertRevision(tx, tenant, row);
      if (stored && row.host_status) await queueCommitStatus(tx, { tenant, revision: stored.id });
    }
    return state === 'active' ? { outcome: 'activated', activation } : { outcome: 'refused' };
  });
  if (judgement.outcome === 'activated') tellOf(deps.notifier, tenant, judgement.activation);
  return judgement;
}

export interface RevisionWarnings {
  tenant: string;
  source: string;
  commit: string | null;
  warnings: readonly Fault[];
}

/** Notes what is wrong with a revision although it is live, and has its Git host told. Nothing, when another was judged since. */
export const noteWarnings = (
  { db }: Pick<PublishDeps, 'db'>,
  { tenant, source, commit, warnings }: RevisionWarnings,
): Promise<void> =>
  db.asTenant(tenant, async (tx) => {
    await lockRevisions(tx, tenant);
    const newest = await newestRevision(tx, source);
    if (newest?.state !== 'active' || newest.commit !== commit) return;
    const kept = keptOf(warnings);
    if (textOf(kept) === textOf(newest.warnings)) return;
    await setWarnings(tx, newest.id, kept, leftOutOf(warnings));
    if (newest.host_status !== null) await queueCommitStatus(tx, { tenant, revision: newest.id });
  });

const rowOf = ({
  source,
  commit,
  author,
  subject,
  state,
  reasons,
  wantsCommitStatus,
}: OfferedRevision): NewRevision => ({
  source,
  commit,
  author: author === null ? null : storable(author),
  subject: subject === null ? null : storable(subject),
  state,
  reasons: keptOf(reasons),
  reasons_left_out: leftOutOf(reasons),
  host_status: wantsCommitStatus && commit !== null ? 'pending' : null,
});

const keptOf = (faults: readonly Fault[]): RevisionReason[] =>
  faults.slice(0, reasonsKept).map(({ file, line, column, message }) => ({
    file: storable(file),
    line,
    column,
    message: storable(message),
  }));
const leftOutOf = (faults: readonly Fault[]): number => Math.max(0, faults.length - reasonsKept);

function isOvertaken({ seen, commit, state }: OfferedRevision, newest: RevisionRow | undefined): boolean {
  if (seen === undefined || (newest?.id ?? null) === seen) return false;
  return newest?.commit !== commit || newest.state !== state;
}

const isNews = (row: NewRevision, newest: RevisionRow | undefined): boolean =>
  newest === undefined || identityOf(row) !== identityOf(newest);

const identityOf = ({ commit, state, reasons, reasons_left_out }: NewRevision): string =>
  JSON.stringify([commit, state, textOf(reasons), reasons_left_out]);

const textOf = (reasons: readonly RevisionReason[]): string =>
  JSON.stringify(reasons.map(({ file, line, column, message }) => [file, line, column, message]));
