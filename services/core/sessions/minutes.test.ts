import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeMinutes, type Interval } from './minutes.ts';

const second = 1_000;
const hour = 3_600 * second;
const instant = fc.integer({ min: 0, max: hour });
const interval = fc.tuple(instant, instant).map(([a, b]): Interval => ({ from: Math.min(a, b), to: Math.max(a, b) }));
const intervals = fc.array(interval, { maxLength: 8 });
const input = fc.record({
  person: intervals,
  agent: intervals,
  endedAt: instant,
  reconnectGraceMs: fc.integer({ min: 0, max: 600 * second }),
});

const whole = (from: number, to: number): Interval => ({ from: from * second, to: to * second });
const minutes = (person: Interval[], agent: Interval[], endedAt: number, graceSeconds = 30) =>
  computeMinutes({ person, agent, endedAt: endedAt * second, reconnectGraceMs: graceSeconds * second });

test('a stay with an agent all the time is billed from join to leave', () => {
  expect(minutes([whole(10, 70)], [whole(0, 100)], 70)).toEqual({
    startedAt: 10 * second,
    durationSeconds: 60,
    billedSeconds: 60,
  });
});

test('a gap within the grace is billed when the person came back, and a longer one is not', () => {
  expect(minutes([whole(0, 10), whole(30, 40)], [whole(0, 40)], 40).billedSeconds).toBe(40);
  expect(minutes([whole(0, 10), whole(50, 60)], [whole(0, 60)], 60).billedSeconds).toBe(20);
});

test('the grace after the last leave is never billed', () => {
  expect(minutes([whole(0, 10)], [whole(0, 40)], 40)).toMatchObject({ durationSeconds: 40, billedSeconds: 10 });
});

test('time without an agent beyond five seconds is not billed, and without any agent nothing is', () => {
  expect(minutes([whole(0, 60)], [whole(0, 20), whole(40, 60)], 60).billedSeconds).toBe(45);
  expect(minutes([whole(0, 60)], [whole(0, 20), whole(24, 60)], 60).billedSeconds).toBe(60);
  expect(minutes([whole(0, 60)], [], 60).billedSeconds).toBe(0);
});

test('rounding is half up and happens once', () => {
  const stays = [0, 60, 120].map((from) => ({ from: from * second, to: from * second + 500 }));
  expect(minutes(stays, [whole(0, 200)], 200, 1).billedSeconds).toBe(2);
  expect(minutes([{ from: 0, to: 499 }], [whole(0, 1)], 1, 0).billedSeconds).toBe(0);
});

test('nobody is ever billed for more than the session lasted, or for less than nothing', () => {
  fc.assert(
    fc.property(input, (given) => {
      const { startedAt, durationSeconds, billedSeconds } = computeMinutes(given);
      expect(billedSeconds).toBeGreaterThanOrEqual(0);
      expect(billedSeconds).toBeLessThanOrEqual(durationSeconds);
      if (startedAt === undefined) expect(durationSeconds).toBe(0);
    }),
  );
});

test('the order of the evidence, evidence that repeats itself, and evidence after the end change nothing', () => {
  fc.assert(
    fc.property(input, fc.nat(), (given, later) => {
      const expected = computeMinutes(given);
      const afterwards = { from: given.endedAt + 1 + later, to: given.endedAt + 2 + later };
      const muddled = {
        ...given,
        person: [...given.person, ...given.person, afterwards].reverse(),
        agent: [afterwards, ...given.agent, ...given.agent].reverse(),
      };
      expect(computeMinutes(muddled)).toEqual(expected);
    }),
  );
});

test('more presence of the agent never makes a session cheaper, and moving everything in time changes no figure', () => {
  fc.assert(
    fc.property(input, interval, fc.nat({ max: hour }), (given, extra, shift) => {
      const { billedSeconds, durationSeconds } = computeMinutes(given);
      if (given.agent.length > 0)
        expect(computeMinutes({ ...given, agent: [...given.agent, extra] }).billedSeconds).toBeGreaterThanOrEqual(
          billedSeconds,
        );
      const move = ({ from, to }: Interval) => ({ from: from + shift, to: to + shift });
      const moved = computeMinutes({
        ...given,
        person: given.person.map(move),
        agent: given.agent.map(move),
        endedAt: given.endedAt + shift,
      });
      expect(moved).toMatchObject({ billedSeconds, durationSeconds });
    }),
  );
});

test('the figure is the one that counting second by second gives', () => {
  const small = fc
    .tuple(fc.nat({ max: 120 }), fc.nat({ max: 120 }))
    .map(([a, b]) => whole(Math.min(a, b), Math.max(a, b)));
  const list = fc.array(small, { maxLength: 5 });
  // Presence of no length at all is nothing that one can count second by second.
  const agents = fc.array(
    small.filter(({ from, to }) => from < to),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(list, agents, fc.nat({ max: 130 }), fc.nat({ max: 40 }), (person, agent, endedAt, grace) => {
      expect(minutes(person, agent, endedAt, grace).billedSeconds).toBe(countedSeconds(person, agent, endedAt, grace));
    }),
    { numRuns: 500 },
  );
});

/** The rules, told second by second: slow, and written another way than the code under test. */
function countedSeconds(person: Interval[], agent: Interval[], endedAt: number, grace: number): number {
  const within = (list: Interval[]) => (at: number) =>
    list.some(({ from, to }) => from <= at * second && (at + 1) * second <= Math.min(to, endedAt * second));
  const isPerson = within(person);
  const isAgent = within(agent);
  const points = new Set(
    person
      .flatMap(({ from, to }) => [from, Math.min(to, endedAt * second)].filter((at) => at >= from))
      .map((at) => at / second),
  );
  if (!Array.from({ length: endedAt + 1 }, (_, at) => at).some((at) => agent.some(({ from }) => from <= at * second)))
    return 0;
  let billed = 0;
  let away = 0;
  let gap: number[] = [];
  let begun = false;
  const bill = (at: number) => {
    away = isAgent(at) ? 0 : away + 1;
    if (away <= 5) billed += 1;
  };
  for (let at = 0; at <= endedAt; at += 1) {
    if (points.has(at) || isPerson(at)) {
      if (begun && gap.length <= grace) gap.forEach(bill);
      else away = 0;
      begun = true;
      gap = [];
    }
    if (at === endedAt) break;
    if (isPerson(at)) bill(at);
    else if (begun) gap.push(at);
  }
  return billed;
}
