import type { AnalyticsBucket, AnalyticsDimension } from '../../contract/analytics.ts';
import { type Queryable, sql } from '../sql.ts';

export type RollupSubject = 'conversation' | 'tool';

/** What rows of a level tell apart; a version is one of an agent. */
export type RollupLevel = readonly AnalyticsDimension[];

const ofAgents: RollupLevel[] = [[], ['agent'], ['agent', 'version']];
const ofOthers: RollupLevel[] = [
  ...[[], ['channel'], ['language'], ['mode']],
  ...[
    ['channel', 'language'],
    ['channel', 'mode'],
    ['language', 'mode'],
    ['channel', 'language', 'mode'],
  ],
] as RollupLevel[];

/** Every choice, so that each question has its own. */
export const rollupLevels: readonly RollupLevel[] = ofAgents.flatMap((agents) =>
  ofOthers.map((others) => [...agents, ...others]),
);

const nameOf = (level: RollupLevel): string => level.join(' ') || 'all';

export type RollupKey = Record<AnalyticsDimension, string> & {
  /** When the conversation began. */
  at: Date;
};

export interface RollupAddend {
  key: RollupKey;
  /** Numbers by place. */
  conversation: readonly number[];
  tools: Readonly<Record<string, readonly number[]>>;
}

/** Adds to every row that a conversation belongs to, in the order of their keys: no two who add wait for each other. */
export async function addToRollups(q: Queryable, tenant: string, { key, conversation, tools }: RollupAddend) {
  const subjects = [
    { subject: 'conversation', tool: '', figures: conversation },
    ...Object.entries(tools).map(([tool, figures]) => ({ subject: 'tool', tool, figures })),
  ];
  const levels = rollupLevels.map((apart) => ({ level: nameOf(apart), ...told(key, apart) }));
  await q.query(sql`
    insert into rollups as r (tenant_id, subject, grain, level, at, agent, version_hash, channel, language, mode, tool, figures)
    select ${tenant}, s.subject, g.grain, l.level, date_trunc(g.grain, ${key.at}::timestamptz, 'UTC') as at, l.agent, l.version, l.channel,
      l.language, l.mode, s.tool, s.figures
    from unnest(array['hour', 'day']) as g (grain),
      jsonb_to_recordset(${JSON.stringify(levels)}) as l (level text, agent text, version text, channel text, language text, mode text),
      jsonb_to_recordset(${JSON.stringify(subjects)}) as s (subject text, tool text, figures bigint[])
    order by s.subject, g.grain, l.level, at, l.agent, l.version, l.channel, l.language, l.mode, s.tool
    on conflict (tenant_id, subject, grain, level, at, agent, version_hash, channel, language, mode, tool) do update set figures = array(
      select coalesce(had, 0) + coalesce(came, 0) from unnest(r.figures, excluded.figures) with ordinality as f (had, came, place) order by place)`);
}

const told = (key: RollupKey, apart: RollupLevel): Record<AnalyticsDimension, string> => {
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
  /** Of the numbers the first so many. */
  first: number;
}

export interface RollupSum {
  /** Of a version: its agent, a blank, its hash. Of a time: ISO 8601. Of nothing: empty. */
  share: string;
  /** By place. */
  figures: number[];
}

/** A sum for each place: taken apart into rows and grouped again, the same numbers took seven times as long. */
export const sumRollups = (q: Queryable, tenant: string, { filters, ...asked }: RollupQuestion) => {
  const places = Array.from({ length: asked.first }, (_, at) => `coalesce(sum(figures[${at + 1}]::float8), 0)`);
  const { text, values } = sql`
      from rollups
      where tenant_id = ${tenant} and subject = ${asked.subject} and grain = ${asked.grain} and level = ${nameOf(asked.level)}
        and at >= ${asked.from} and at < ${asked.to}
        and (${filters.agent ?? null}::text is null or agent = ${filters.agent ?? null})
        and (${filters.version ?? null}::text[] is null or version_hash = any (${filters.version ?? null}))
        and (${filters.channel ?? null}::text is null or channel = ${filters.channel ?? null})
        and (${filters.language ?? null}::text is null or language = ${filters.language ?? null})
        and (${filters.mode ?? null}::text is null or mode = ${filters.mode ?? null})
      group by 1`;
  return q.query<RollupSum>({
    text: `select ${shareOf[asked.by]} as share, array[${places}] as figures ${text}`,
    values,
  });
};

const shareOf: Record<RollupQuestion['by'], string> = {
  ...{
    agent: 'agent',
    version: `agent || ' ' || version_hash`,
    channel: 'channel',
    language: 'language',
    mode: 'mode',
  },
  at: `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
  ...{ tool: 'tool', nothing: `''::text` },
};
