import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CompiledLimits } from '../../agent-files/definition/compiled.ts';
import type { PresenceRow } from '../../store/tables/presence.ts';
import { nextDeadline } from './deadline.ts';

const at = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1_000);

const limits: CompiledLimits = {
  ...{ joinTimeoutMs: 600_000, reconnectGraceMs: 30_000, idleTimeoutMs: 300_000, maxDurationMs: 3_600_000 },
  ...{ turns: 1, tokens: 1, textLength: 1, textsWaiting: 1, textsPerMinute: 1, toolCallsPerTurn: 1, equalToolCalls: 1 },
};

type Timed = Parameters<typeof nextDeadline>[0];

const running = (changes: Partial<Timed> = {}): Timed => ({
  ...{ status: 'running', created_at: at(0), started_at: at(5), last_activity_at: at(5), unattended_since: null },
  ...{ agent_ready_at: at(1), agent_due_at: null, limit_reached_at: null, channel: 'api' },
  ...changes,
});

const stay = (from: number, to: number | null, role: PresenceRow['role'] = 'person'): PresenceRow => ({
  ...{ session_id: 's', participant_sid: `PA_${role}_${from}`, identity: role, role, joined_by: 'host' },
  ...{ joined_at: at(from), left_at: to === null ? null : at(to), left_by: null, last_seen_at: at(from) },
});

test('a session that nobody has joined ends as never_joined, whatever else is known', () => {
  const created = running({ status: 'created', started_at: null, unattended_since: at(0) });
  expect(nextDeadline(created, limits, [])).toEqual({ reason: 'never_joined', at: at(600), endsAt: at(600) });
});

test('silence ends a session before its longest duration does', () => {
  expect(nextDeadline(running(), limits, [stay(5, null)])).toMatchObject({ reason: 'idle_timeout', at: at(305) });
  const lively = running({ last_activity_at: at(3_500) });
  expect(nextDeadline(lively, limits, [stay(5, null)])).toMatchObject({ reason: 'max_duration', at: at(3_605) });
});

test('a telephone that has hung up is waited for as long as a room server may take to come back, not as a visitor is', () => {
  expect(nextDeadline(running({ channel: 'phone' }), limits, [stay(5, 50)])).toEqual({
    ...{ reason: 'call_ended', at: at(55), endsAt: at(50) },
  });
});

test('who is left without an agent is waited with for a minute, and on the telephone for 20 s', () => {
  const unattended = running({ unattended_since: at(100) });
  expect(nextDeadline(unattended, limits, [stay(5, null)])).toMatchObject({ reason: 'agent_unavailable', at: at(160) });
  const onThePhone = running({ unattended_since: at(100), channel: 'phone' });
  expect(nextDeadline(onThePhone, limits, [stay(5, null)])).toMatchObject({ reason: 'agent_unavailable', at: at(120) });
});

test('who has left counts as gone from the leave on, and only after the grace', () => {
  expect(nextDeadline(running(), limits, [stay(5, 50)])).toEqual({
    reason: 'participant_left',
    at: at(80),
    endsAt: at(50),
  });
});

test('nobody is gone while one of several connections is there', () => {
  expect(nextDeadline(running(), limits, [stay(5, 50), stay(40, null)]).reason).toBe('idle_timeout');
  expect(nextDeadline(running(), limits, [stay(5, 50), stay(40, 60)])).toMatchObject({ endsAt: at(60) });
});

test('an agent that leaves is no person that leaves', () => {
  expect(nextDeadline(running(), limits, [stay(5, null), stay(0, 20, 'agent')]).reason).toBe('idle_timeout');
});

test('a session whose agent is away ends after a minute', () => {
  const deserted = running({ unattended_since: at(20) });
  expect(nextDeadline(deserted, limits, [stay(5, null)])).toMatchObject({ reason: 'agent_unavailable', at: at(80) });
});

test('a session that has reached a cap of its agent or tenant ends when its person has had time to be told', () => {
  const over = running({ limit_reached_at: at(50) });
  expect(nextDeadline(over, limits, [stay(5, null)])).toEqual({
    reason: 'tenant_limit',
    at: at(70),
    endsAt: at(70),
  });
});

test('a session that waits for its first agent ends when that is due, whether or not somebody has joined', () => {
  const waiting = { agent_ready_at: null, agent_due_at: at(120), unattended_since: at(0) };
  const end = { reason: 'agent_unavailable', at: at(120), endsAt: at(120) };
  expect(nextDeadline(running({ ...waiting, status: 'created', started_at: null }), limits, [])).toEqual(end);
  expect(nextDeadline(running(waiting), { ...limits, idleTimeoutMs: 60_000 }, [stay(5, null)])).toEqual(end);
});

test('the silence of a person who waited for the agent begins when it has come', () => {
  const attended = running({ agent_ready_at: at(100), agent_due_at: at(120) });
  expect(nextDeadline(attended, limits, [stay(5, null)])).toMatchObject({ reason: 'idle_timeout', at: at(400) });
});

const seconds = fc.nat({ max: 7_200 });
const timed = fc
  .record({ started: seconds, activity: seconds, unattended: fc.option(seconds) })
  .map(({ started, activity, unattended }) =>
    running({
      started_at: at(started),
      last_activity_at: at(started + activity),
      unattended_since: unattended === null ? null : at(started + unattended),
    }),
  );
const stays = fc.array(
  fc.tuple(seconds, fc.option(seconds)).map(([from, length]) => stay(from, length === null ? null : from + length)),
  { maxLength: 5 },
);

test('no session outlasts its longest duration, and none ends after the moment that ends it', () => {
  fc.assert(
    fc.property(timed, stays, (session, presence) => {
      const { at: due, endsAt } = nextDeadline(session, limits, presence);
      expect(due.getTime()).toBeLessThanOrEqual((session.started_at ?? at(0)).getTime() + limits.maxDurationMs);
      expect(endsAt.getTime()).toBeLessThanOrEqual(due.getTime());
    }),
  );
});

test('the order in which presence was reported does not matter', () => {
  fc.assert(
    fc.property(timed, stays, (session, presence) => {
      expect(nextDeadline(session, limits, presence.toReversed())).toEqual(nextDeadline(session, limits, presence));
    }),
  );
});

test('a longer limit never brings the end nearer', () => {
  fc.assert(
    fc.property(timed, stays, fc.nat({ max: 100_000 }), (session, presence, more) => {
      const longer = {
        ...limits,
        reconnectGraceMs: limits.reconnectGraceMs + more,
        idleTimeoutMs: limits.idleTimeoutMs + more,
        maxDurationMs: limits.maxDurationMs + more,
      };
      expect(nextDeadline(session, longer, presence).at.getTime()).toBeGreaterThanOrEqual(
        nextDeadline(session, limits, presence).at.getTime(),
      );
    }),
  );
});
