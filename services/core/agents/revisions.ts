import { insertRevision, lockRevisions, newestRevision, type RevisionRow } from '../../store/tables/agent-revisions.ts';
import { type Activation, type PublishDeps, publishWithin, type Revision, tellOf } from './publish.ts';

export interface OfferedRevision extends Revision {
  /** Where it comes from, told to people; never with a credential in it. */
  source: string;
  /** Given: it is refused, and this says why. */
  refusedBecause: string | undefined;
  /** Given: some of its agents stay as they were, and this says why. Kept as the reason of an active revision. */
  heldBackBecause?: string | undefined;
  /**
   * The id of the newest revision of this source, read before the source was looked at; null when there was none. With it, a
   * process that looked earlier than another never overwrites what that one found later. Undefined: the source has no order.
   */
  seen: number | null | undefined;
}

/** `overtaken`: another process has judged a later state of the source meanwhile; look again. */
export type Judgement = { outcome: 'activated'; activation: Activation } | { outcome: 'refused' | 'overtaken' };

const nothingChanged: Activation = { changed: [], deleted: [] };

/**
 * Makes a revision live or notes that it was refused, in one transaction that no other of the tenant overlaps. Two processes
 * that judge the same commit agree; of two that judge different ones, the one that looked at the source last decides.
 */
export async function judgeRevision(deps: PublishDeps, offered: OfferedRevision): Promise<Judgement> {
  const { tenant, source, commit, refusedBecause } = offered;
  const state = refusedBecause === undefined ? 'active' : 'refused';
  const judgement = await deps.db.asTenant(tenant, async (tx): Promise<Judgement> => {
    await lockRevisions(tx, tenant);
    const newest = await newestRevision(tx, source);
    if (isOvertaken(offered, newest, state)) return { outcome: 'overtaken' };
    const activation = state === 'active' ? await publishWithin(tx, deps, offered) : nothingChanged;
    const reason = refusedBecause ?? offered.heldBackBecause ?? null;
    const isNews = newest?.commit !== commit || newest.state !== state || newest.reason !== reason;
    if (isNews || activation.changed.length + activation.deleted.length > 0)
      await insertRevision(tx, tenant, { source, commit, state, reason });
    return state === 'active' ? { outcome: 'activated', activation } : { outcome: 'refused' };
  });
  if (judgement.outcome === 'activated') tellOf(deps.notifier, tenant, judgement.activation);
  return judgement;
}

function isOvertaken(
  { seen, commit }: OfferedRevision,
  newest: RevisionRow | undefined,
  state: RevisionRow['state'],
): boolean {
  if (seen === undefined || (newest?.id ?? null) === seen) return false;
  return newest?.commit !== commit || newest.state !== state;
}
