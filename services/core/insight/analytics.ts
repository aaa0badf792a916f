import {
  type Analytics,
  type AnalyticsBucket,
  type AnalyticsDimension,
  type AnalyticsPoint,
  type AnalyticsShare,
  analyticsDimensions,
  type ComparedVersion,
} from '../../contract/analytics.ts';
import type { Database, Tx } from '../../store/database.ts';
import { listVersionsNamed } from '../../store/tables/agents.ts';
import { type RollupLevel, type RollupQuestion, sumRollups } from '../../store/tables/rollups.ts';
import { conversationNames, shortCount, toNames, toolNames } from './figure-names.ts';
import { type Figures, toConversationFigures, toShortFigures, toToolFigures } from './figures.ts';

export interface AnalyticsQuery {
  from: Date;
  to: Date;
  bucket: AnalyticsBucket;
  /** A version by the beginning of its hash. */
  filters: Partial<Record<AnalyticsDimension, string>>;
  /** Versions of the agent of `filters`, each by the beginning of its hash. */
  compare: readonly string[];
}

export const bucketMs = { hour: 3_600_000, day: 86_400_000 } as const;

/** Figures of a tenant, from what finished conversations added up to; no conversation is read. */
export const analytics = (db: Database, tenant: string, query: AnalyticsQuery): Promise<Analytics> =>
  db.asTenant(tenant, async (tx) => {
    const { bucket } = query;
    const [from, to] = [cut(query.from, bucket), cut(new Date(query.to.getTime() + bucketMs[bucket] - 1), bucket)];
    const asked = { ...query, from, to, filters: await readFilters(tx, query.filters) };
    const [totals] = await sums(tx, asked, 'whole', 'nothing');
    const points = await sums(tx, asked, 'short', 'at');
    return {
      ...{ from, to, bucket, totals: toConversationFigures(totals?.figures ?? {}) },
      series: series(asked, points),
      by: await shares(tx, asked),
      tools: await toolsOf(tx, asked),
      compared: query.compare.length === 0 ? null : await comparedVersions(tx, asked),
    };
  });

type Asked = Omit<AnalyticsQuery, 'filters'> & { filters: RollupQuestion['filters'] };

const cut = (at: Date, bucket: AnalyticsBucket): Date =>
  new Date(Math.floor(at.getTime() / bucketMs[bucket]) * bucketMs[bucket]);

async function readFilters(tx: Tx, { version, ...filters }: AnalyticsQuery['filters']): Promise<Asked['filters']> {
  if (version === undefined) return filters;
  const versions = await listVersionsNamed(tx, { agent: filters.agent, version });
  return { ...filters, version: versions.map(({ hash }) => hash) };
}

interface Sum {
  share: string;
  figures: Figures;
}

type Part = 'whole' | 'short' | 'tools';
const named = {
  whole: { names: conversationNames, first: conversationNames.length, subject: 'conversation' },
  short: { names: conversationNames, first: shortCount, subject: 'conversation' },
  tools: { names: toolNames, first: toolNames.length, subject: 'tool' },
} as const;

async function sums(
  tx: Tx,
  { from, to, bucket, filters }: Pick<Asked, 'from' | 'to' | 'bucket' | 'filters'>,
  part: Part,
  by: RollupQuestion['by'],
): Promise<Sum[]> {
  const { names, first, subject } = named[part];
  const question = { subject, grain: bucket, level: levelFor(filters, by), from, to, filters, by, first };
  const rows = await sumRollups(tx, tx.tenant, question);
  return rows.map(({ share, figures }) => ({ share, figures: toNames(figures, names) }));
}

/** The rows that tell apart what is filtered by and what is asked for, and nothing else. */
export function levelFor(filters: object, by: RollupQuestion['by']): RollupLevel {
  const isWanted = (name: AnalyticsDimension) => name === by || name in filters;
  return analyticsDimensions.filter((name) => isWanted(name) || (name === 'agent' && isWanted('version')));
}

function series({ from, to, bucket }: Asked, points: readonly Sum[]): AnalyticsPoint[] {
  const known = new Map(points.map(({ share, figures }) => [Date.parse(share), figures]));
  const count = Math.round((to.getTime() - from.getTime()) / bucketMs[bucket]);
  return Array.from({ length: count }, (_, index) => {
    const at = from.getTime() + index * bucketMs[bucket];
    return { at: new Date(at), ...toShortFigures(known.get(at) ?? {}) };
  });
}

async function shares(tx: Tx, asked: Asked): Promise<Analytics['by']> {
  const found: [AnalyticsDimension, AnalyticsShare[]][] = [];
  for (const name of analyticsDimensions) {
    const rows = await sums(tx, asked, 'short', name);
    found.push([name, rows.map(name === 'version' ? toVersionShare : toShare).toSorted(largestFirst)]);
  }
  return Object.fromEntries(found) as Analytics['by'];
}

const toShare = ({ share, figures }: Sum): AnalyticsShare => ({ name: share, ...toShortFigures(figures) });

function toVersionShare({ share, figures }: Sum): AnalyticsShare {
  const [agent = '', hash = ''] = share.split(' ');
  return { name: hash.slice(0, 12), agent, ...toShortFigures(figures) };
}

const largestFirst = (a: AnalyticsShare, b: AnalyticsShare): number =>
  b.conversations - a.conversations || a.name.localeCompare(b.name);

async function toolsOf(tx: Tx, asked: Pick<Asked, 'from' | 'to' | 'bucket' | 'filters'>) {
  const rows = await sums(tx, asked, 'tools', 'tool');
  return rows
    .map(({ share, figures }) => toToolFigures(share, figures))
    .toSorted((a, b) => calls(b) - calls(a) || a.tool.localeCompare(b.tool));
}

const calls = ({ ok, failed, unknown }: { ok: number; failed: number; unknown: number }) => ok + failed + unknown;

async function comparedVersions(tx: Tx, asked: Asked): Promise<ComparedVersion[]> {
  const compared: ComparedVersion[] = [];
  for (const version of asked.compare) {
    const known = await listVersionsNamed(tx, { agent: asked.filters.agent, version });
    const own = { ...asked, filters: { ...asked.filters, version: known.map(({ hash }) => hash) } };
    const [figures] = await sums(tx, own, 'whole', 'nothing');
    compared.push({
      ...{ version: version.slice(0, 12), ...toConversationFigures(figures?.figures ?? {}) },
      tools: await toolsOf(tx, own),
    });
  }
  return compared;
}
