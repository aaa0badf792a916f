import { type AnalyticsBucket, analyticsDimensions } from '../../contract/analytics.ts';
import { problems } from '../../contract/problems.ts';
import { type AnalyticsQuery, analytics, bucketMs } from '../../core/insight/analytics.ts';
import type { Clock } from '../../process/clock.ts';
import type { Database } from '../../store/database.ts';
import { tenantOf } from '../http/person-access.ts';
import type { Handlers } from './handlers.ts';
import { choiceIn, hashIn, knownOnly, type Query, textIn, timeIn } from './query.ts';

export interface AnalyticsRouteDeps {
  db: Database;
  clock: Clock;
}

export const analyticsRoutes = ({ db, clock }: AnalyticsRouteDeps): Handlers<'GET /api/tenants/:tenant/analytics'> => ({
  'GET /api/tenants/:tenant/analytics': [
    async (req, res) =>
      void res.json(await analytics(db, tenantOf(req).tenant, analyticsQuery(req.query, clock.now()))),
  ],
});

const names = ['from', 'to', 'bucket', ...analyticsDimensions, 'compare'];
/** As much as a question may cover: hours are kept for 35 days, and a chart has room for no more points than these. */
const most: Record<AnalyticsBucket, number> = { hour: 14 * 24, day: 100 };
const usual: Record<AnalyticsBucket, number> = { hour: 24, day: 30 };

/** @throws Problem `invalid_request` that names what can't be used */
export function analyticsQuery(query: Query, now: Date): AnalyticsQuery {
  knownOnly(query, names);
  const bucket = choiceIn(query, 'bucket', ['hour', 'day']) ?? 'day';
  const to = timeIn(query, 'to') ?? now;
  const from = timeIn(query, 'from') ?? new Date(to.getTime() - usual[bucket] * bucketMs[bucket]);
  if (from >= to) throw problems.invalidRequest('"from" must be before "to".');
  if (to.getTime() - from.getTime() > most[bucket] * bucketMs[bucket])
    throw problems.invalidRequest(`At most ${most[bucket]} ${bucket}s can be asked for at a time.`);
  const compare = compareIn(query);
  return { from, to, bucket, compare, filters: filtersIn(query) };
}

function filtersIn(query: Query): AnalyticsQuery['filters'] {
  const given = analyticsDimensions.map((name) => [
    name,
    name === 'version' ? hashIn(query, name) : textIn(query, name),
  ]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

function compareIn(query: Query): string[] {
  const given = textIn(query, 'compare');
  if (given === undefined) return [];
  const versions = given.split(',');
  if (query.agent !== undefined && versions.length === 2 && versions.every((one) => /^[0-9a-f]{7,64}$/.test(one)))
    return versions;
  throw problems.invalidRequest('"compare" must be two versions of one "agent", such as 3f2a9c41d0be,77c01be2aa94.');
}
