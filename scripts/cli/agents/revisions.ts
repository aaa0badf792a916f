import { Command } from '@commander-js/extra-typings';
import { listShownRevisions, type ShownRevision } from '../../../services/core/agents/list-revisions.ts';
import { findUnreadable, type UnreadableSourceRow } from '../../../services/store/tables/agent-sources.ts';
import { asOperator, type Operator } from '../operator.ts';
import { onTarget } from '../target.ts';
import { shortName } from './versions/words.ts';

const revisionsShown = 50;

export const command = onTarget(
  new Command().description('Lists what the source of the agents offered lately, and why it was refused'),
).action((flags) => asOperator(flags, revisions));

async function revisions({ db, tenant, say }: Operator): Promise<void> {
  const unreadable = await db.asTenant(tenant, findUnreadable);
  if (unreadable) sayUnreadable(say, unreadable);
  const { items } = await listShownRevisions(db, tenant, { limit: revisionsShown });
  if (items.length === 0) return say('No source has offered anything yet.');
  for (const revision of items) sayRevision(say, revision);
}

function sayUnreadable(say: Operator['say'], { source, reason, since }: UnreadableSourceRow): void {
  say(`${since.toISOString()}  since then ${source} cannot be read; what is live stays live`);
  say(`    ${reason}`);
}

function sayRevision(say: Operator['say'], revision: ShownRevision): void {
  const { at, state, isLive, commit, author, subject, source } = revision;
  const { reasons, reasonsLeftOut, warnings, warningsLeftOut, commitStatus } = revision;
  say(`${at}  ${(isLive ? 'live' : state).padEnd(7)}  ${commit ? shortName(commit) : '-'}  ${source}`);
  if (subject !== null) say(`    "${subject}" by ${author}`);
  for (const { file, line, column, message } of reasons) say(`    ${file}:${line}:${column} ${message}`);
  if (reasonsLeftOut > 0) say(`    and ${reasonsLeftOut} more`);
  for (const { file, line, column, message } of warnings) say(`    warning: ${file}:${line}:${column} ${message}`);
  if (warningsLeftOut > 0) say(`    and ${warningsLeftOut} more warnings`);
  if (commitStatus && commitStatus.state !== 'posted')
    say(`    commit status ${commitStatus.state}: ${commitStatus.error ?? 'it is posted next'}`);
}
