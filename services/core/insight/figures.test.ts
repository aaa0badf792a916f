import { expect, test } from 'vitest';
import { levelFor } from './analytics.ts';
import { bucketName, latencyBoundsMs } from './figure-names.ts';
import { type Figures, toConversationFigures, toShortFigures } from './figures.ts';

const counted = (prefix: string, values: readonly number[]): Figures => {
  const figures: Record<string, number> = {};
  for (const value of values) {
    const name = bucketName(prefix, value, latencyBoundsMs);
    figures[name] = (figures[name] ?? 0) + 1;
  }
  return figures;
};

const added = (a: Figures, b: Figures): Figures =>
  Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((k) => [k, (a[k] ?? 0) + (b[k] ?? 0)]));

test('a percentile of what was added is that of all values together, and not the mean of two percentiles', () => {
  const quick = counted('latency.response', Array(99).fill(100));
  const slow = counted('latency.response', [5_000]);
  const { response } = toShortFigures(added(quick, slow));
  expect(response?.count).toBe(100);
  expect(response?.p95).toBeLessThanOrEqual(112);
  expect(toShortFigures(slow).response?.p95).toBeGreaterThan(3_600);
});

test('the true percentile lies in the bucket that is told', () => {
  const values = Array.from({ length: 1_000 }, (_, index) => index + 1);
  const { latency } = toConversationFigures(counted('latency.firstToken', values));
  const { p50 = 0, p99 = 0 } = latency.firstToken ?? {};
  expect([p50 > 450 && p50 <= 640, p99 > 900 && p99 <= 1_280]).toEqual([true, true]);
});

test('beyond the last bound nothing is claimed but that bound', () => {
  const { latency } = toConversationFigures(counted('latency.tools', [70_000, 80_000]));
  expect(latency.tools).toMatchObject({ count: 2, p50: 60_000, p99: 60_000, buckets: [{ upTo: null, count: 2 }] });
});

test('nothing is told as zero conversations, and as no distribution', () => {
  const figures = toConversationFigures({});
  expect(figures).toMatchObject({ conversations: 0, completed: 0, duration: null, endReasons: {} });
  expect(figures.latency.response).toBeNull();
});

test('what was ended by those who spoke is completed', () => {
  const figures = { 'end.client_ended': 3, 'end.participant_left': 2, 'end.max_duration': 4, 'end.provider_failed': 1 };
  expect(toConversationFigures(figures)).toMatchObject({ completed: 5, endReasons: { max_duration: 4 } });
});

test.each([
  [{}, 'nothing', []],
  [{}, 'at', []],
  [{ agent: 'desk' }, 'nothing', ['agent']],
  [{ agent: 'desk' }, 'version', ['agent', 'version']],
  [{}, 'version', ['agent', 'version']],
  [{ version: 'abc' }, 'tool', ['agent', 'version']],
  [{ language: 'de' }, 'language', ['language']],
  [{ language: 'de' }, 'agent', ['agent', 'language']],
  [{ agent: 'desk', mode: 'TEXT' }, 'at', ['agent', 'mode']],
] as const)('filtered by %o and told apart by %s, rows are read that tell apart %o', (filters, by, apart) => {
  expect(levelFor(filters, by)).toEqual(apart);
});
