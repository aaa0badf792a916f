/** What the worker notes of the source of a tenant's agents, for people to see and to change. */
import { promptOf } from '../../agent-files/edit/set-prompt.ts';
import { webhookUrlOf } from '../../agent-files/edit/set-webhook.ts';
import type { Database, Tx } from '../../store/database.ts';
import { settleActivations } from '../../store/tables/agent-changes.ts';
import { lockRevisions, newestRevision } from '../../store/tables/agent-revisions.ts';
import {
  type AgentFileRow,
  type AgentSourceRow,
  findSource,
  keepAgentFiles,
  listFileIds,
  upsertSource,
} from '../../store/tables/agent-sources.ts';
import { storable } from '../../store/text.ts';

/** The text of an agent's file. */
export interface AgentFileText {
  agent: string;
  /** Git's id of its content. */
  id: string;
  text: string;
}

export interface SeenSource extends Omit<AgentSourceRow, 'seen_at'> {
  tenant: string;
  /** As in `OfferedRevision`. */
  seen: number | null | undefined;
}

/** Notes the files at the head of a source, before they are judged. Nothing, where another process has judged something since. */
export const noteFiles = (
  db: Database,
  { tenant, seen, ...source }: SeenSource,
  files: readonly AgentFileText[],
): Promise<void> =>
  db.asTenant(tenant, async (tx) => {
    await lockRevisions(tx, tenant);
    if (seen !== undefined && ((await newestRevision(tx, source.source))?.id ?? null) !== seen) return;
    await upsertSource(tx, tenant, source);
    const known = new Map((await listFileIds(tx)).map(({ agent, file_id }) => [agent, file_id]));
    const fresh = files.filter(({ agent, id }) => known.get(agent) !== id).map(toRow);
    await keepAgentFiles(tx, tenant, { agents: files.map(({ agent }) => agent), fresh });
  });

/** What a file says, as people see it. */
export function toRow({ agent, id, text }: AgentFileText): AgentFileRow {
  const [prompt, url] = [promptOf(text), webhookUrlOf(text)];
  return {
    agent,
    file_id: id,
    prompt: prompt === undefined ? null : storable(prompt),
    webhook: url === undefined ? null : { url },
  };
}

/** Notes what became of the changes whose files stand at the head of the source, once that was judged. */
export const noteActivations = (db: Database, tenant: string): Promise<void> => db.asTenant(tenant, settleJudged);

/** As `noteActivations`, in a transaction of the caller's. */
export async function settleJudged(tx: Tx): Promise<void> {
  const source = await findSource(tx);
  const newest = source && (await newestRevision(tx, source.source));
  if (!newest || newest.commit !== source.commit) return;
  await settleActivations(tx, { isActive: newest.state === 'active', reasons: newest.reasons });
}
