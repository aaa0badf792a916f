import { expect, test } from 'vitest';
import { consequencesOf, effectOf, inWords } from './consequences.ts';
import { changedBy, type Part } from './part.ts';

const hosts = (image: string, replicas = 2, graceSeconds = 60): Part => ({
  name: 'agent',
  what: 'agent hosts',
  replicas,
  load: { kind: 'handed over', neededSeconds: 30, graceSeconds },
  from: changedBy('rolls', { image, settings: { a: 1 } }),
});

test('what is the same has no consequence', () => {
  expect(consequencesOf([hosts('one')], [hosts('one')])).toEqual([]);
});

test('what changed is told with its reason and its way', () => {
  expect(consequencesOf([hosts('one')], [hosts('two', 3)])).toEqual([
    {
      what: 'agent hosts',
      replicas: { before: 2, after: 3 },
      because: ['image'],
      way: 'rolls',
      noticed: 'nobody is cut: an old one gives its conversations to others first',
      cuts: false,
    },
  ]);
});

test('a grace that is shorter than what is needed cuts conversations: that of those who are told to stop, not of their successors', () => {
  const [change] = consequencesOf([hosts('one', 2, 20)], [hosts('two', 2, 60)]);
  expect(change).toMatchObject({ cuts: true, noticed: expect.stringContaining('need up to 30 s, and are given 20 s') });
});

test('of fewer slots for guests the last ones go, with whoever is in them; of more nobody notices', () => {
  const guests = (replicas: number): Part => ({
    ...{ name: 'guests', what: 'room for guests', replicas, load: { kind: 'guests' }, from: {} },
  });
  expect(consequencesOf([guests(3)], [guests(2)])).toMatchObject([{ cuts: true }]);
  expect(consequencesOf([guests(3)], [])).toMatchObject([{ cuts: true }]);
  expect(consequencesOf([guests(2)], [guests(3)])).toMatchObject([{ cuts: false }]);
});

test('of fewer hosts those that go give their conversations away; of more nobody notices', () => {
  expect(consequencesOf([hosts('one', 2, 20)], [hosts('one', 1)])).toMatchObject([{ cuts: true, because: [] }]);
  expect(consequencesOf([hosts('one', 2, 20)], [hosts('one', 3)])).toMatchObject([
    { cuts: false, noticed: 'nobody notices' },
  ]);
});

test('data that goes is told', () => {
  const database: Part = { name: 'database', what: 'the database', load: { kind: 'data' }, from: {} };
  expect(consequencesOf([database], [])).toMatchObject([{ cuts: true, noticed: 'it goes, and its data with it' }]);
  expect(consequencesOf([], [database])).toMatchObject([{ cuts: false, noticed: 'it is new' }]);
});

test('the worse of two ways is told', () => {
  const from = (one: string, other: string) => ({
    ...changedBy('in place', { storage: one }),
    ...changedBy('fails over', { class: other }),
  });
  const database = (one: string, other: string): Part => ({
    ...{ name: 'database', what: 'the database', load: { kind: 'data' }, from: from(one, other) },
  });
  expect(consequencesOf([database('a', 'b')], [database('c', 'd')])).toMatchObject([
    { way: 'fails over', because: ['storage', 'class'], noticed: expect.stringContaining('about a minute') },
  ]);
});

test('conversations that nobody waits for end', () => {
  const load = { kind: 'waited for', neededSeconds: 3_900, graceSeconds: 4_000 } as const;
  expect(effectOf('restarts', load).cuts).toBe(true);
  expect(effectOf('one by one', load)).toEqual({
    noticed: 'nobody is cut: each waits for its conversations, at most 1 h 5 min',
    cuts: false,
  });
});

test('times are in words', () => {
  expect([5, 119, 120, 3_600, 3_965].map(inWords)).toEqual(['5 s', '119 s', '2 min', '1 h', '1 h 7 min']);
});
