import { expect, test, vi } from 'vitest';
import { Journal, type JournalProblem } from './journal.ts';

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const refusal = () => Object.assign(new Error('invalid byte sequence'), { code: '22021' });

function journal() {
  const problems: JournalProblem['kind'][] = [];
  return { journal: new Journal(({ kind }) => problems.push(kind)), problems };
}

/** A database that can be taken away. */
function database() {
  const written: string[] = [];
  const state = { away: false };
  const write = (text: string) => async () => {
    if (state.away) throw away();
    written.push(text);
    return text;
  };
  return { written, write, state };
}

test('writes are made one at a time, in their order', async () => {
  const { journal: it } = journal();
  const log: string[] = [];
  const slow = Promise.withResolvers<void>();
  const first = it.write(async () => {
    log.push('first begins');
    await slow.promise;
    log.push('first ends');
  });
  const second = it.write(async () => {
    log.push('second');
  });
  await Promise.resolve();
  slow.resolve();
  await Promise.all([first, second]);
  expect(log).toEqual(['first begins', 'first ends', 'second']);
});

test('what is written while the database is away is made up for, each once and in order', async () => {
  const { journal: it, problems } = journal();
  const db = database();
  db.state.away = true;
  const results = ['a', 'b', 'c'].map((text) => it.write(db.write(text)));
  await vi.waitFor(() => expect(it.offline).toBe(true));
  db.state.away = false;
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
  expect(db.written).toEqual(['a', 'b', 'c']);
  expect(it.offline).toBe(false);
  expect(problems).toEqual(['unavailable']);
});

test('a write that the database refuses is dropped and reported, and the next one is made', async () => {
  const { journal: it, problems } = journal();
  const refused = it.write(async () => {
    throw refusal();
  });
  expect(await refused).toBeUndefined();
  expect(await it.write(async () => 'next')).toBe('next');
  expect(problems).toEqual(['refused']);
});

test('nobody waits for a write once the database is known to be away', async () => {
  const { journal: it } = journal();
  const db = database();
  db.state.away = true;
  const first = it.write(db.write('a'));
  await it.settledOrOffline(first);
  expect(it.offline).toBe(true);
  await it.settledOrOffline(it.write(db.write('b')));
  expect(db.written).toEqual([]);
  db.state.away = false;
  expect(await it.drained(10_000)).toBe(true);
  expect(db.written).toEqual(['a', 'b']);
});

test('while the database is there a write is waited for', async () => {
  const { journal: it } = journal();
  const db = database();
  await it.settledOrOffline(it.write(db.write('a')));
  expect(db.written).toEqual(['a']);
});

test('drained says whether anything is still owed', async () => {
  const { journal: it } = journal();
  const db = database();
  db.state.away = true;
  void it.write(db.write('a'));
  expect(await it.drained(20)).toBe(false);
  db.state.away = false;
  expect(await it.drained(10_000)).toBe(true);
});

test('drained waits for what is written while it waits', async () => {
  const { journal: it } = journal();
  const db = database();
  const first = it.write(db.write('a'));
  void first.then(() => it.write(db.write('b')));
  expect(await it.drained(10_000)).toBe(true);
  expect(db.written).toEqual(['a', 'b']);
});

test('it is full at 400 writes that wait, and takes in again when they are made', async () => {
  const { journal: it } = journal();
  const db = database();
  db.state.away = true;
  for (let i = 0; i < 399; i += 1) void it.write(db.write(`${i}`));
  expect(it.full).toBe(false);
  void it.write(db.write('last'));
  expect(it.full).toBe(true);
  db.state.away = false;
  await it.drained(10_000);
  expect(it.full).toBe(false);
});

test('an abandoned journal writes nothing more, and whoever waits for it is let go', async () => {
  const { journal: it } = journal();
  const db = database();
  db.state.away = true;
  const owed = it.write(db.write('a'));
  await vi.waitFor(() => expect(it.offline).toBe(true));
  it.abandon();
  db.state.away = false;
  expect(await owed).toBeUndefined();
  expect(await it.write(db.write('b'))).toBeUndefined();
  expect(db.written).toEqual([]);
});
