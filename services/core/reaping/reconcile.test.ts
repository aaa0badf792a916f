import { expect, test } from 'vitest';
import type { Database } from '../../store/database.ts';
import { makeOutages } from './outages.ts';
import { Reconciler } from './reconcile.ts';

const unused = () => {
  throw new Error('a worker that does not lead has no business here');
};

/** A worker that does not lead, with a room server that answers as `list` does. */
function follower(list: () => Promise<[]>) {
  const asked: (string[] | undefined)[] = [];
  const outages = makeOutages(() => 0);
  const db: Database = {
    query: async <Row>() => [{}] as Row[],
    ...{ asTenant: unused, load: unused, wasFullWithin: unused, close: unused },
  };
  const reconciler = new Reconciler({
    ...{ db, outages, notifier: { tell: unused }, roomTime: { ours: unused } },
    ...{ clock: { now: () => new Date(0) }, leads: async () => false, onCorrection: unused, onFault: unused },
    rooms: {
      list: (names) => {
        asked.push(names);
        return list();
      },
      ...{ participants: unused, close: unused },
    },
  });
  return { reconciler, outages, asked };
}

test('of several workers those that do not lead list no rooms, and compare nothing', async () => {
  const { reconciler, outages, asked } = follower(async () => []);
  await reconciler.look();
  expect(asked).toEqual([['parley-none']]);
  expect(outages.calmInMs()).toBe(0);
});

test('they learn all the same that the room server is away, so that they end nobody for an absence', async () => {
  const { reconciler, outages } = follower(() => Promise.reject(new Error('connection refused')));
  await expect(reconciler.look()).rejects.toThrow('connection refused');
  expect(outages.calmInMs()).toBeGreaterThan(0);
});
