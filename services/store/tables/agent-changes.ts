import { first, type Queryable, sql } from '../sql.ts';
import type { RevisionReason } from './agent-revisions.ts';

export interface AgentChangeRow {
  id: string;
  agent: string;
  person_id: string;
  author: string;
  kind: 'prompt' | 'webhook' | 'scenario';
  wanted: { prompt: string } | { url: string | { env: string } | null } | WantedScenario;
  message: string;
  /** Empty where something is added to whatever is there. */
  edited_file_id: string;
  is_direct: boolean;
  state: 'pending' | 'written' | 'refused';
  attempts: number;
  problem: ChangeProblem | null;
  branch: string | null;
  commit: string | null;
  file_id: string | null;
  fell_back: boolean;
  /** Where a proposal is opened at its Git host. */
  link: string | null;
  activation: 'pending' | 'live' | 'refused' | null;
  reasons: RevisionReason[];
  created_at: Date;
  settled_at: Date | null;
}

/** A conversation as a scenario of its agent; what was said in it stands with it alone. */
export interface WantedScenario {
  session: string;
  name?: string | undefined;
  isMasked: boolean;
}

/** A refusal, as its caller may read it. */
export interface ChangeProblem {
  status: number;
  code: string;
  message: string;
  details?: { path: string; message: string }[];
}

export type NewChange = Pick<
  AgentChangeRow,
  'id' | 'agent' | 'person_id' | 'author' | 'kind' | 'wanted' | 'message' | 'edited_file_id' | 'is_direct'
>;

export const insertChange = (q: Queryable, tenant: string, c: NewChange) =>
  q.query(sql`
    insert into agent_changes (id, tenant_id, agent, person_id, author, kind, wanted, message, edited_file_id, is_direct)
    values (${c.id}, ${tenant}, ${c.agent}, ${c.person_id}, ${c.author}, ${c.kind}, ${JSON.stringify(c.wanted)}, ${c.message},
      ${c.edited_file_id}, ${c.is_direct})`);

export const findChange = (q: Queryable, id: string) =>
  first<AgentChangeRow>(q, sql`select * from agent_changes where id = ${id}`);

/** Notes that the worker begins with it; undefined when there is nothing to do any more. `attempts` counts this one. */
export const beginChange = (q: Queryable, id: string) =>
  first<AgentChangeRow>(
    q,
    sql`update agent_changes set attempts = attempts + 1 where id = ${id} and state = 'pending' returning *`,
  );

export const settleWritten = (
  q: Queryable,
  c: Pick<AgentChangeRow, 'id' | 'branch' | 'commit' | 'file_id' | 'fell_back' | 'link'>,
) =>
  q.query(sql`
    update agent_changes set state = 'written', activation = case when kind <> 'scenario' then 'pending' end, branch = ${c.branch}, commit = ${c.commit}, file_id = ${c.file_id},
      fell_back = ${c.fell_back}, link = ${c.link}, settled_at = clock_timestamp()
    where id = ${c.id} and state = 'pending'`);

export const settleRefused = (q: Queryable, id: string, problem: ChangeProblem) =>
  q.query(sql`
    update agent_changes set state = 'refused', problem = ${JSON.stringify(problem)}, settled_at = clock_timestamp()
    where id = ${id} and state = 'pending'`);

export interface ChangesQuery {
  agent?: string | undefined;
  kind?: string | undefined;
  state?: string | undefined;
  /** The last row of the page before. */
  after?: { position: string; id: string } | undefined;
  limit: number;
}

export interface ListedChange extends AgentChangeRow {
  /** When it was asked for, as exactly as the database knows it: a page goes on from there. */
  position: string;
}

/** Of the transaction's tenant, the newest first. */
export const listChanges = (q: Queryable, tenant: string, by: ChangesQuery) =>
  q.query<ListedChange>(sql`
    select *, created_at::text as position from agent_changes
    where tenant_id = ${tenant}
      and (${by.agent ?? null}::text is null or agent = ${by.agent ?? null})
      and (${by.kind ?? null}::text is null or kind = ${by.kind ?? null})
      and (${by.state ?? null}::text is null or state = ${by.state ?? null})
      and (${by.after?.id ?? null}::uuid is null
        or (created_at, id) < (${by.after?.position ?? null}::timestamptz, ${by.after?.id ?? null}::uuid))
    order by created_at desc, id desc limit ${by.limit}`);

/** Changes whose files stand at the head of the source become what became of that: refused for these reasons, or live. */
export const settleActivations = (
  q: Queryable,
  { isActive, reasons }: { isActive: boolean; reasons: readonly RevisionReason[] },
) =>
  q.query(sql`
    update agent_changes c set
      activation = case when ${isActive} and own.reasons = '[]'::jsonb then 'live' else 'refused' end,
      reasons = case when ${isActive} then own.reasons else ${JSON.stringify(reasons)}::jsonb end
    from agent_files f, lateral (
      select coalesce(jsonb_agg(r), '[]'::jsonb) as reasons from jsonb_array_elements(${JSON.stringify(reasons)}::jsonb) r
      where r ->> 'file' in (f.agent || '.yaml', 'scenarios/' || f.agent || '.yaml')) own
    where f.agent = c.agent and f.file_id = c.file_id and c.state = 'written' and c.activation <> 'live'`);
