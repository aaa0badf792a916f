import { describe, expect, test } from 'vitest';
import type { Evidence, LineStored, SessionStored } from '../evidence.ts';
import type { Fault, FaultClass } from '../faults.ts';
import type { Entry } from '../history.ts';
import { nobodyAliveIsDeclaredDeadTwice } from './deaths.ts';
import { noSessionOutlivesItsPerson } from './ends.ts';
import { verdict } from './judges.ts';
import { minutesAreRight } from './minutes.ts';
import { nobodyPresentIsGone } from './presence.ts';
import { everybodyGoesOn, noReplyByTwo, noToolTwice, nothingAcceptedIsLost } from './replies.ts';

const [talker, vanished] = ['s_talker', 's_vanished'];

const entry = (atMs: number, happening: Record<string, unknown>) =>
  ({ session: talker, ...happening, atMs }) as unknown as Entry;
const wrote = (atMs: number, text: string) => entry(atMs, { kind: 'wrote', text });
const heard = (atMs: number, text: string, speaker = 'PA_1') =>
  entry(atMs, { kind: 'heard', text, speaker, beganMs: atMs });

/** A person talks for 20 s and is ended by their caller; another's client is killed after 6 s. */
const entries: readonly Entry[] = [
  entry(0, { kind: 'joined', sinceMs: 0 }),
  entry(0, { kind: 'joined', session: vanished, sinceMs: 0 }),
  entry(6_000, { kind: 'vanished', session: vanished }),
  ...[1, 2, 3, 4, 5].flatMap((n) => [wrote(n * 4_000 - 100, `text ${n}`), heard(n * 4_000, `You said: text ${n}`)]),
  entry(20_000, { kind: 'was ended', billedSeconds: 20, untilMs: 20_000 }),
];

const line = (sequence: number, fields: Partial<LineStored>): LineStored => ({
  ...{ session: talker, sequence, role: 'USER', content: '', turn: 0, isAnswered: true, atMs: sequence * 2_000 },
  ...fields,
});
const lines: readonly LineStored[] = [1, 2, 3, 4, 5].flatMap((n) => [
  line(2 * n - 1, { content: `text ${n}` }),
  line(2 * n, { role: 'ASSISTANT', content: `You said: text ${n}`, turn: 2 * n - 1 }),
]);

const ended: SessionStored = {
  ...{
    id: talker,
    status: 'ended',
    endReason: 'client_ended',
    endWrittenMs: 20_010,
    billedSeconds: 20,
  },
};
const endedLater: SessionStored = {
  ...{ id: vanished, status: 'ended', endReason: 'participant_left', endWrittenMs: 30_000 },
  billedSeconds: 24,
};

const good: Evidence = {
  schedule: { seed: 1, faults: [], talkMs: 20_000 },
  ...{ entries, lines, sessions: [ended, endedLater], takenForGone: [], departures: [], deaths: [] },
  ...{ toolRuns: ['a', 'b'], ledgerSeconds: 44, billedSeconds: 44 },
};

const fault = (name: FaultClass, atMs: number, forMs: number, targets: Fault['targets'] = ['host 1']): Fault => ({
  ...{ class: name, atMs, forMs, targets },
});
const withFaults = (...faults: Fault[]) => ({ schedule: { ...good.schedule, faults } });

test('nothing is against a history in which all was well', () => {
  expect(verdict(good)).toEqual([]);
});

describe('nobody present is marked gone', () => {
  const judge = (bad: Partial<Evidence>) => nobodyPresentIsGone.judge({ ...good, ...bad });

  test('a session that ends by itself with somebody in it', () => {
    expect(judge({ sessions: [{ ...ended, endReason: 'participant_left' }, endedLater] })).toHaveLength(1);
  });

  test('a session that ends before the person vanishes', () => {
    expect(judge({ sessions: [ended, { ...endedLater, endWrittenMs: 3_000 }] })).toHaveLength(1);
  });

  test('somebody who talks and of whom nothing is known', () => {
    expect(judge({ takenForGone: [talker] })).toHaveLength(1);
  });

  test('a departure that never was, unless the way to the room server was cut', () => {
    const departures = [{ session: talker, atMs: 9_000, by: 'agent' }];
    expect(judge({ departures })).toHaveLength(1);
    expect(judge({ departures, ...withFaults(fault('room server without network', 5_000, 4_000)) })).toEqual([]);
    expect(judge({ departures: [{ session: talker, atMs: 20_005, by: 'end' }] })).toEqual([]);
    expect(judge({ departures: [{ session: vanished, atMs: 22_000, by: 'room_event' }] })).toEqual([]);
  });

  test('a person who is thrown out', () => {
    expect(judge({ entries: [...entries, entry(9_000, { kind: 'lost the room', reason: 4 })] })).toHaveLength(1);
  });
});

describe('nobody alive is declared dead twice', () => {
  const judge = (deaths: Evidence['deaths'], ...faults: Fault[]) =>
    nobodyAliveIsDeclaredDeadTwice.judge({ ...good, deaths, ...withFaults(...faults) });
  const death = { role: 'host 1', atMs: 15_000 } as const;

  test('once is too often where nothing had silenced it', () => {
    expect(judge([death])).toHaveLength(1);
    expect(judge([death], fault('stopped for 3 s', 5_000, 3_000))).toHaveLength(1);
    expect(judge([death], fault('promotion', 5_000, 0))).toHaveLength(1);
    expect(judge([death], fault('stopped for 40 s', 5_000, 40_000, ['host 2']))).toHaveLength(1);
  });

  test('once is what a standstill of 15 s may lead to, and twice is too often', () => {
    const stopped = fault('stopped for 15 s', 4_000, 15_000);
    expect(judge([death], stopped)).toEqual([]);
    expect(judge([death, death], stopped)).toHaveLength(1);
    expect(judge([death, death], stopped, fault('stopped for 40 s', 30_000, 40_000))).toEqual([]);
  });

  test('short silences one after another may look like a death, and only like one', () => {
    const silences = [fault('database out of reach', 4_000, 4_000), fault('stopped for 3 s', 10_000, 3_000)];
    expect(judge([death], ...silences)).toEqual([]);
    expect(judge([death, death], ...silences)).toHaveLength(1);
  });
});

test('a session that outlives its person', () => {
  const judge = (endWrittenMs: number | undefined) =>
    noSessionOutlivesItsPerson.judge({ ...good, sessions: [ended, { ...endedLater, endWrittenMs }] });
  expect(judge(6_000 + 64_000)).toEqual([]);
  expect(judge(6_000 + 66_000)).toHaveLength(1);
  expect(judge(undefined)).toHaveLength(1);
});

describe('minutes', () => {
  const judge = (billed: number, gone = 24) =>
    minutesAreRight.judge({
      ...good,
      sessions: [
        { ...ended, billedSeconds: billed },
        { ...endedLater, billedSeconds: gone },
      ],
    });

  test('less than the time between answers, or more than a crash may cost', () => {
    expect(judge(14)).toEqual([]);
    expect(judge(13)).toHaveLength(1);
    expect(judge(26)).toEqual([]);
    expect(judge(27)).toHaveLength(1);
  });

  test('of somebody who vanished, 25 s over', () => {
    expect(judge(20, 32)).toEqual([]);
    expect(judge(20, 33)).toHaveLength(1);
  });

  test('the time without an answer is not owed', () => {
    const silent = entries.filter(({ atMs, kind }) => kind !== 'heard' || atMs < 5_000 || atMs > 19_000);
    const sessions = [{ ...ended, billedSeconds: 6 }, endedLater];
    expect(minutesAreRight.judge({ ...good, sessions, entries: silent })).toEqual([]);
  });

  test('nor that of a host that could not show that it lives', () => {
    const sessions = [{ ...ended, billedSeconds: 6 }, endedLater];
    const cut = withFaults(fault('database out of reach', 5_000, 14_000));
    expect(minutesAreRight.judge({ ...good, sessions, ledgerSeconds: 30, billedSeconds: 30, ...cut })).toEqual([]);
  });

  test('a ledger that is not their sum', () => {
    expect(minutesAreRight.judge({ ...good, ledgerSeconds: 43 })).toHaveLength(1);
  });
});

test('a tool that is run twice', () => {
  expect(noToolTwice.judge({ ...good, toolRuns: ['a', 'b', 'a'] })).toHaveLength(1);
});

describe('a reply by two hosts', () => {
  const [, stored] = lines as [LineStored, LineStored];

  test('heard from two', () => {
    const twice = [...entries, heard(8_300, 'You said: text 2', 'PA_2')];
    expect(noReplyByTwo.judge({ ...good, entries: twice })).toHaveLength(1);
  });

  test('is none where the first could tell nobody that it was said', () => {
    const twice = [...entries, heard(12_300, 'You said: text 2', 'PA_2')];
    const cut = withFaults(fault('database out of reach', 7_500, 4_000));
    expect(noReplyByTwo.judge({ ...good, entries: twice, ...cut })).toEqual([]);
    expect(
      noReplyByTwo.judge({ ...good, entries: twice, ...withFaults(fault('database delayed', 7_500, 4_000)) }),
    ).toHaveLength(1);
  });

  test('is none where two say what fits more than one text', () => {
    const failures = [heard(8_300, 'The waiting failed.'), heard(12_300, 'The waiting failed.', 'PA_2')];
    expect(noReplyByTwo.judge({ ...good, entries: [...entries, ...failures] })).toEqual([]);
  });

  test('stored twice for one text', () => {
    expect(noReplyByTwo.judge({ ...good, lines: [...lines, { ...stored, sequence: 11 }] })).toHaveLength(1);
  });
});

describe('what was accepted', () => {
  const judge = (bad: readonly LineStored[]) => nothingAcceptedIsLost.judge({ ...good, lines: bad });

  test('a text that is stored and not answered', () => {
    expect(judge([...lines, line(11, { content: 'text 6', isAnswered: false })])).toHaveLength(1);
    expect(judge([...lines, line(1, { session: vanished, isAnswered: false })])).toEqual([]);
  });

  test('a text that was answered and is not stored, or is stored twice', () => {
    expect(judge(lines.filter(({ content }) => content !== 'text 3'))).toHaveLength(1);
    expect(judge([...lines, line(11, { content: 'text 3' })])).toHaveLength(1);
  });
});

test('somebody who is never answered again', () => {
  expect(everybodyGoesOn.judge({ ...good, entries: [...entries, entry(80_000, { kind: 'gave up' })] })).toHaveLength(1);
});
