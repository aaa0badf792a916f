import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** A queue that is busy until `free` is called, and the names of what was done in it, in order. */
function busyQueue(bounds = { mostEach: 10, mostOverall: 10 }) {
  const queue = new FairQueue(bounds);
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const working = queue.run({}, () => first.promise);
  const ask = (who: object, name: string, signal?: AbortSignal) =>
    queue.run(who, async () => void done.push(name), signal);
  const free = () => {
    first.resolve();
    return working;
  };
  return { queue, done, ask, free };
}

test('who has much to do waits behind those who have little', async () => {
  const { done, ask, free } = busyQueue();
  const [talker, other] = [{}, {}];
  const all = ['1', '2', '3'].map((number) => ask(talker, `talker ${number}`));
  all.push(ask(other, 'other'));
  await free();
  await Promise.all(all);
  expect(done).toEqual(['talker 1', 'other', 'talker 2', 'talker 3']);
});

test('each has a bound, and so have all together', async () => {
  const { ask, free } = busyQueue({ mostEach: 1, mostOverall: 2 });
  const [one, two, three] = [{}, {}, {}];
  const waiting = [ask(one, 'first')];
  await expect(ask(one, 'second')).rejects.toThrow('1 wait already');
  waiting.push(ask(two, 'other'));
  await expect(ask(three, 'third')).rejects.toThrow('2 wait already');
  await free();
  await Promise.all(waiting);
});

test('what is given up leaves the line, and the next has its turn', async () => {
  const { queue, done, ask, free } = busyQueue();
  const stop = new AbortController();
  const given = ask({}, 'given up', stop.signal);
  const kept = ask({}, 'kept');
  stop.abort(new Error('no longer wanted'));
  await expect(given).rejects.toThrow('no longer wanted');
  await free();
  await kept;
  expect(done).toEqual(['kept']);
  expect(queue.isIdle).toBe(true);
});

test('work that fails makes room like any other', async () => {
  const queue = new FairQueue({ mostEach: 1, mostOverall: 1 });
  await expect(queue.run({}, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(queue.isIdle).toBe(true);
});
