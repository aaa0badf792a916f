import { expect, test } from 'vitest';
import { endOfCall, isOver, mayMove, stateOfSipCode } from './call-states.ts';

test('an answered call can only end, and one that is over stays as it is', () => {
  expect(mayMove('answered', 'ended')).toBe(true);
  expect(mayMove('answered', 'canceled')).toBe(false);
  expect(mayMove('ended', 'answered')).toBe(false);
  expect(['ended', 'busy', 'unknown', 'refused'].map((state) => isOver(state as 'ended'))).toEqual(Array(4).fill(true));
  expect(isOver('ringing')).toBe(false);
});

test.each([
  [486, 'busy'],
  [600, 'busy'],
  [603, 'declined'],
  [480, 'no_answer'],
  [487, 'no_answer'],
  [404, 'invalid_number'],
  [484, 'invalid_number'],
  [403, 'unreachable'],
  [503, 'unreachable'],
])('the answer %i is %s', (code, state) => {
  expect(stateOfSipCode(code)).toBe(state);
});

test('a call ends as its session does', () => {
  const answered = { direction: 'outbound', answered_at: new Date(), dialed_at: new Date() } as const;
  const ringing = { ...answered, answered_at: null };
  const queued = { ...ringing, dialed_at: null };
  const inbound = { ...queued, direction: 'inbound' } as const;
  expect(endOfCall(answered, 'agent_ended')).toEqual({ state: 'ended', hungUpBy: 'agent' });
  expect(endOfCall(answered, 'call_ended')).toEqual({ state: 'ended', hungUpBy: 'person' });
  expect(endOfCall(answered, 'max_duration')).toEqual({ state: 'ended', hungUpBy: 'limit' });
  expect(endOfCall(answered, 'room_lost')).toEqual({ state: 'ended' });
  expect(endOfCall(ringing, 'never_joined')).toEqual({ state: 'no_answer' });
  expect(endOfCall(ringing, 'dashboard_ended')).toEqual({ state: 'canceled' });
  expect(endOfCall(ringing, 'room_lost')).toEqual({ state: 'unknown' });
  expect(endOfCall(queued, 'agent_unavailable')).toEqual({ state: 'refused', refusedBecause: 'agent_unavailable' });
  expect(endOfCall(inbound, 'agent_unavailable')).toEqual({ state: 'refused', refusedBecause: 'agent_unavailable' });
  expect(endOfCall(inbound, 'participant_left')).toEqual({ state: 'canceled', hungUpBy: 'person' });
  expect(endOfCall(inbound, 'room_lost')).toEqual({ state: 'unknown' });
  expect(endOfCall(inbound, 'tenant_limit')).toEqual({ state: 'refused', refusedBecause: 'tenant_limit' });
});
