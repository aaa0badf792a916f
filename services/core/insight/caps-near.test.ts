import { expect, test } from 'vitest';
import { capsNear } from './caps-near.ts';

const facts = (more: object) =>
  ({ own: null, whole: null, settings: { caps: {} }, caps: {}, ...more }) as unknown as Parameters<typeof capsNear>[0];
const usage = (minutes: number, tokens = 0) => ({
  ...{ billed_seconds_today: minutes * 60, billed_seconds_month: minutes * 60, tokens_today: tokens },
});

test('a cap is near from four fifths on, and whose it is is told', () => {
  const settings = { caps: { minutesPerDay: 100, tokensPerDay: 1_000 } };
  expect(capsNear(facts({ own: usage(79, 799), settings }))).toEqual([]);
  expect(capsNear(facts({ own: usage(80, 1_200), settings }))).toEqual([
    { of: 'agent', cap: 'minutesPerDay', used: 80, limit: 100 },
    { of: 'agent', cap: 'tokensPerDay', used: 1_200, limit: 1_000 },
  ]);
  expect(capsNear(facts({ whole: usage(90), caps: { minutesPerMonth: 100, concurrentSessions: 1 } }))).toEqual([
    { of: 'tenant', cap: 'minutesPerMonth', used: 90, limit: 100 },
  ]);
});

test('what has no cap is never near one', () => {
  expect(capsNear(facts({ own: usage(1_000_000), whole: usage(1_000_000) }))).toEqual([]);
});
