import { expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { Person } from '../../support/people/person.ts';
import { startWorld } from '../../support/world/world.ts';

const wrongClock = new URL('../../support/world/wrong-clock.mjs', import.meta.url).href;
const spokenForMs = 3_000;

test.each([20_000, -20_000])('minutes are right although the clocks of all processes are %d ms off', async (offMs) => {
  const env = { NODE_OPTIONS: `--import=${wrongClock}`, TEST_CLOCK_OFF_MS: String(offMs) };
  await using world = await startWorld({ env });
  const customer = await world.customer();
  const { sessionId, ...connection } = await customer.createSession();
  const beforeJoin = performance.now();
  await using person = await Person.join(connection);
  const joined = performance.now();
  await eventually('they have talked for a while', async () => {
    await person.ask(`text at ${performance.now()}`, /^You said/);
    return performance.now() - joined > spokenForMs;
  });
  const beforeEnd = performance.now();
  const ended = await customer.endSession(sessionId);
  const [least, most] = [beforeEnd - joined, performance.now() - beforeJoin].map((ms) => ms / 1_000);
  expect(ended.billedSeconds).toBeGreaterThanOrEqual((least ?? 0) - 1);
  expect(ended.billedSeconds).toBeLessThanOrEqual((most ?? 0) + 1);
  const [off] = await world.admin.query<{ ms: number }>(
    sql`select (extract(epoch from now() - ended_at) * 1000)::float8 as ms from sessions where id = ${sessionId}`,
  );
  expect(Math.abs(off?.ms ?? Infinity)).toBeLessThan(10_000);
});
