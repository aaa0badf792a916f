import type { AnalyticsBucket, AnalyticsDimension } from '../../contract/analytics.ts';
import { type Queryable, sql } from '../sql.ts';

export type RollupSubject = 'conversation' | 'tool';

/** What is told apart at each level; a question is answered from the smallest that tells apart what it asks for. */
export const rollupLevels = {
  all: [],
  agent: ['agent'],
  version: ['agent', 'version'],
  channel: ['channel'],
  language: ['language'],
  mode: ['mode'],
  each: ['agent', 'version', 'channel', 'language', 'mode'],
} as const satisfies Record<string, readonly AnalyticsDimension[]>;
export type RollupLevel = keyof typeof rollupLevels;

export type RollupKey = Record<AnalyticsDimension, string> & {
  /** When the conversation began. */
  at: Date;
};

export interface RollupAddend {
  key: RollupKey;
  conversation: Readonly<Record<string, number>>;
  tools: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Adds to every row that a conversation belongs to, in the order of their keys: no two who add wait for each other. */
export async function addToRollups(q: Queryable, tenant: string, { key, conversation, tools }: RollupAddend) {
  const subjects = [
    { subject: 'conversation', tool: '', figures: conversation },
    ...Object.entries(tools).map(([tool, figures]) => ({ subject: 'tool', tool, figures })),
  ];
  const levels = Object.entries(rollupLevels).map(([level, apart]) => ({ level, ...told(key, apart) }));
  await q.query(sql`
    insert into rollups as r (tenant_id, subject, grain, level, at, agent, version_hash, channel, language, mode, tool, figures)
    select ${tenant}, s.subject, g.grain, l.level, date_trunc(g.grain, ${key.at}::timestamptz, 'UTC') as at, l.agent, l.version, l.channel,
      l.language, l.mode, s.tool, s.figures
    from unnest(array['hour', 'day']) as g (grain),
      jsonb_to_recordset(${JSON.stringify(levels)}) as l (level text, agent text, version text, channel text, language text, mode text),
      jsonb_to_recordset(${JSON.stringify(subjects)}) as s (subject text, tool text, figures jsonb)
    order by s.subject, g.grain, l.level, at, l.agent, l.version, l.channel, l.language, l.mode, s.tool
    on conflict (tenant_id, subject, grain, level, at, agent, version_hash, channel, language, mode, tool) do update set figures = (
      select jsonb_object_agg(name, n) from (
        select name, sum(n::bigint) as n from (
          select * from jsonb_each_text(r.figures) union all select * from jsonb_each_text(excluded.figures)) both_of (name, n)
        group by name) added)`);
}

const told = (key: RollupKey, apart: readonly AnalyticsDimension[]): Record<AnalyticsDimension, string> => {
  const of = (name: AnalyticsDimension) => (apart.includes(name) ? key[name] : '');
  return {
    agent: of('agent'),
    version: of('version'),
    channel: of('channel'),
    language: of('language'),
    mode: of('mode'),
  };
};

export interface RollupQuestion {
  subject: RollupSubject;
  grain: AnalyticsBucket;
  level: RollupLevel;
  from: Date;
  to: Date;
  filters: Partial<Record<Exclude<AnalyticsDimension, 'version'>, string>> & {
    /** Hashes, one of which it must be. */
    version?: readonly string[];
  };
  /** What the sums are told apart by. */
  by: AnalyticsDimension | 'at' | 'tool' | 'nothing';
}

export interface RollupSum {
  /** Of a version: its agent, a blank, its hash. Of a time: ISO 8601. Of nothing: empty. */
  share: string;
  figures: Record<string, number>;
}

export const sumRollups = (q: Queryable, tenant: string, { filters, ...asked }: RollupQuestion) =>
  q.query<RollupSum>(sql`
    select share, jsonb_object_agg(name, n) as figures from (
      select case ${asked.by}::text when 'at' then to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
          when 'agent' then agent when 'version' then agent || ' ' || version_hash when 'channel' then channel
          when 'language' then language when 'mode' then mode when 'tool' then tool else '' end as share,
        name, sum(n::bigint) as n
      from rollups, jsonb_each_text(figures) as f (name, n)
      where tenant_id = ${tenant} and subject = ${asked.subject} and grain = ${asked.grain} and level = ${asked.level}
        and at >= ${asked.from} and at < ${asked.to}
        and (${filters.agent ?? null}::text is null or agent = ${filters.agent ?? null})
        and (${filters.version ?? null}::text[] is null or version_hash = any (${filters.version ?? null}))
        and (${filters.channel ?? null}::text is null or channel = ${filters.channel ?? null})
        and (${filters.language ?? null}::text is null or language = ${filters.language ?? null})
        and (${filters.mode ?? null}::text is null or mode = ${filters.mode ?? null})
      group by 1, 2
    ) sums group by share`);
