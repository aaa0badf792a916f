import { first, type Queryable, sql } from '../sql.ts';

/** What may be written to a source: a file of this machine, branches of proposals, the branch itself too, or nothing. */
export type Writing = 'file' | 'proposal' | 'direct' | 'read_only';

export interface AgentSourceRow {
  source: string;
  /** Null for a folder. */
  commit: string | null;
  writing: Writing;
  /** What to do to make it writable, or to have more of it. */
  how: string | null;
  seen_at: Date;
}

export interface AgentFileRow {
  agent: string;
  /** Git's id of its content. */
  file_id: string;
  /** Null where the file can't be read. */
  prompt: string | null;
  webhook: { url: string | { env: string } | null } | null;
}

export const findSource = (q: Queryable) =>
  first<AgentSourceRow>(q, sql`select source, commit, writing, how, seen_at from agent_sources`);

export const upsertSource = (q: Queryable, tenant: string, s: Omit<AgentSourceRow, 'seen_at'>) =>
  q.query(sql`
    insert into agent_sources (tenant_id, source, commit, writing, how)
    values (${tenant}, ${s.source}, ${s.commit}, ${s.writing}, ${s.how})
    on conflict (tenant_id) do update
      set source = excluded.source, commit = excluded.commit, writing = excluded.writing, how = excluded.how, seen_at = clock_timestamp()`);

/** A source that could not be read at the last look. */
export interface UnreadableSourceRow {
  source: string;
  /** In the words of git or of the system. */
  reason: string;
  since: Date;
}

export const findUnreadable = (q: Queryable) =>
  first<UnreadableSourceRow>(q, sql`select source, reason, since from unreadable_sources`);

/** `since` stays that of the first look at this source that failed. */
export const upsertUnreadable = (
  q: Queryable,
  tenant: string,
  { source, reason }: Pick<UnreadableSourceRow, 'source' | 'reason'>,
) =>
  q.query(sql`
    insert into unreadable_sources as known (tenant_id, source, reason) values (${tenant}, ${source}, ${reason})
    on conflict (tenant_id) do update
      set source = excluded.source, reason = excluded.reason,
        since = case when known.source = excluded.source then known.since else excluded.since end
      where (known.source, known.reason) <> (excluded.source, excluded.reason)`);

export const deleteUnreadable = (q: Queryable) => q.query(sql`delete from unreadable_sources`);

export const findAgentFile = (q: Queryable, agent: string) =>
  first<AgentFileRow>(q, sql`select agent, file_id, prompt, webhook from agent_files where agent = ${agent}`);

export const listFileIds = (q: Queryable) =>
  q.query<Pick<AgentFileRow, 'agent' | 'file_id'>>(sql`select agent, file_id from agent_files`);

/** Writes the files that are new or changed, and forgets those of other agents than `agents`. */
export async function keepAgentFiles(
  q: Queryable,
  tenant: string,
  { agents, fresh }: { agents: readonly string[]; fresh: readonly AgentFileRow[] },
): Promise<void> {
  await q.query(sql`delete from agent_files where not (agent = any (${agents}::text[]))`);
  if (fresh.length === 0) return;
  await q.query(sql`
    insert into agent_files (tenant_id, agent, file_id, prompt, webhook)
    select ${tenant}, n.agent, n.file_id, n.prompt, n.webhook
    from unnest(${fresh.map(({ agent }) => agent)}::text[], ${fresh.map(({ file_id }) => file_id)}::text[],
      ${fresh.map(({ prompt }) => prompt)}::text[], ${fresh.map(({ webhook }) => JSON.stringify(webhook))}::jsonb[])
      as n (agent, file_id, prompt, webhook)
    on conflict (tenant_id, agent) do update
      set file_id = excluded.file_id, prompt = excluded.prompt, webhook = excluded.webhook`);
}
