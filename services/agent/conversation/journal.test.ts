import { describe, expect, test, vi } from 'vitest';
import type { Owed } from '../../store/tables/owed.ts';
import type { OwedKeeper } from '../owed/kept.ts';
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

describe('with a place on the disk', () => {
  /** Keeps when it is told to. */
  function disk() {
    const kept: { key: string; state: 'owed' | 'forgotten' | 'left' }[] = [];
    const written = Promise.withResolvers<void>();
    const keeper: OwedKeeper & { full: boolean } = {
      full: false,
      keep: (owed) => {
        const entry: (typeof kept)[number] = { key: 'key' in owed ? owed.key : '', state: 'owed' };
        kept.push(entry);
        const becomes = (state: (typeof entry)['state']) => () => {
          entry.state = state;
        };
        return { written: written.promise, forget: becomes('forgotten'), leave: becomes('left') };
      },
    };
    return { keeper, kept, written: () => written.resolve() };
  }

  const owed = (key: string): Owed => ({
    ...{ kind: 'text', key, tenant: 't', session: 's', content: key, at: new Date(), mode: 'TEXT' },
  });
  const states = (kept: ReturnType<typeof disk>['kept']) => kept.map(({ key, state }) => `${key} ${state}`);

  test('nothing is kept while the database is there', async () => {
    const { keeper, kept } = disk();
    const it = new Journal(() => undefined, keeper);
    await it.write(database().write('a'), owed('a'));
    expect(kept).toEqual([]);
  });

  test('what waits when the database goes and what comes while it is away is kept, until it is made up for', async () => {
    const { keeper, kept } = disk();
    const it = new Journal(() => undefined, keeper);
    const db = database();
    db.state.away = true;
    void it.write(db.write('a'), owed('a'));
    void it.write(db.write('b'), owed('b'));
    await vi.waitFor(() => expect(it.offline).toBe(true));
    void it.write(db.write('c'), owed('c'));
    expect(states(kept)).toEqual(['a owed', 'b owed', 'c owed']);
    db.state.away = false;
    await it.drained(10_000);
    expect(states(kept)).toEqual(['a forgotten', 'b forgotten', 'c forgotten']);
  });

  test('what is written is accepted when it is on the disk, not before', async () => {
    const { keeper, written } = disk();
    const it = new Journal(() => undefined, keeper);
    const db = database();
    db.state.away = true;
    let accepted = false;
    const settled = it.settledOrOffline(it.write(db.write('a'), owed('a'))).then(() => {
      accepted = true;
    });
    await vi.waitFor(() => expect(it.offline).toBe(true));
    await new Promise(setImmediate);
    expect(accepted).toBe(false);
    written();
    await settled;
    it.abandon();
  });

  test('what an abandoned journal had kept is left as evidence', async () => {
    const { keeper, kept } = disk();
    const it = new Journal(() => undefined, keeper);
    const db = database();
    db.state.away = true;
    const [a, b] = [it.write(db.write('a'), owed('a')), it.write(db.write('b'), owed('b'))];
    await vi.waitFor(() => expect(it.offline).toBe(true));
    it.abandon();
    await Promise.all([a, b]);
    expect(states(kept)).toEqual(['a left', 'b left']);
  });

  test('a write hears whether it had to be kept', async () => {
    const { keeper } = disk();
    const it = new Journal(() => undefined, keeper);
    const db = database();
    expect(await it.write(async (wasKept) => wasKept, owed('a'))).toBe(false);
    db.state.away = true;
    const late = it.write(async (wasKept) => {
      await db.write('b')();
      return wasKept;
    }, owed('b'));
    await vi.waitFor(() => expect(it.offline).toBe(true));
    db.state.away = false;
    expect(await late).toBe(true);
  });

  test('a disk that is full makes the journal full while the database is away', async () => {
    const { keeper } = disk();
    const it = new Journal(() => undefined, keeper);
    const db = database();
    keeper.full = true;
    expect(it.full).toBe(false);
    db.state.away = true;
    void it.write(db.write('a'), owed('a'));
    await vi.waitFor(() => expect(it.full).toBe(true));
    it.abandon();
  });
});
