import { expect, test } from 'vitest';
import { Breakers, restMs } from './breaker.ts';
import { ModelFailure, type ModelFailureKind } from './failure.ts';

const failure = (kind: ModelFailureKind, retryAfterMs?: number) =>
  new ModelFailure({ kind, message: 'for the test', ...(retryAfterMs !== undefined && { retryAfterMs }) });

/** Two conversations of one process that know the same model. */
function twoConversations() {
  const breakers = new Breakers();
  return [breakers.of('a model'), breakers.of('a model'), breakers.of('another')] as const;
}

test('a model that hung in two conversations is passed over in all of them, and no other is', () => {
  const [first, second, other] = twoConversations();
  first.failed(failure('timeout'), 0);
  expect(second.admits(0)).toBe(true);
  second.failed(failure('timeout'), 0);
  expect([first.admits(1), second.admits(1), other.admits(1)]).toEqual([false, false, true]);
});

test('after its rest one conversation tries, and the others wait for what comes of it', () => {
  const [first, second] = twoConversations();
  first.failed(failure('unauthorized'), 0);
  expect([first.admits(restMs), second.admits(restMs)]).toEqual([true, false]);
  first.failed(failure('timeout'), restMs + 7_000);
  expect(second.admits(2 * restMs)).toBe(false);
  expect(second.admits(2 * restMs + 7_000)).toBe(true);
  second.succeeded();
  expect([first.admits(2 * restMs + 7_001), second.admits(2 * restMs + 7_001)]).toEqual([true, true]);
});

test('a try that never comes back is followed by another', () => {
  const [first, second] = twoConversations();
  first.failed(failure('rate_limited'), 0);
  expect(first.admits(restMs)).toBe(true);
  expect(second.admits(2 * restMs)).toBe(true);
});

test('a pause that the provider asks for is kept to, for five minutes at most', () => {
  const [first] = twoConversations();
  first.failed(failure('rate_limited', 60_000), 0);
  expect([first.admits(59_999), first.admits(60_000)]).toEqual([false, true]);
  first.failed(failure('rate_limited', 86_400_000), 60_000);
  expect([first.admits(359_999), first.admits(360_000)]).toEqual([false, true]);
});

test('what fails for one conversation alone is nothing to the others', () => {
  const [first, second] = twoConversations();
  for (const kind of ['rejected', 'incomplete', 'rejected'] as const) first.failed(failure(kind), 0);
  expect(second.admits(0)).toBe(true);
});

test('an answer in between counts', () => {
  const [first, second] = twoConversations();
  first.failed(failure('timeout'), 0);
  second.succeeded();
  first.failed(failure('timeout'), 1);
  expect(second.admits(2)).toBe(true);
});
