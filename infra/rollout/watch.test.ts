import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Look } from './causes.ts';
import { watchRollout } from './watch.ts';

const rolling: Look = { pods: [], deployments: [{ metadata: { name: 'api', generation: 2 }, spec: { replicas: 1 } }] };
const serving: Look = {
  pods: [],
  deployments: [
    {
      metadata: { name: 'api', generation: 2 },
      spec: { replicas: 1 },
      status: { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    },
  ],
};
const stuck: Look = {
  ...rolling,
  pods: [
    {
      metadata: { name: 'api-1', labels: { 'app.kubernetes.io/name': 'api' } },
      status: { containerStatuses: [{ state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }] },
    },
  ],
};

/** A watch whose time goes on as it pauses; it looks until `endMs`. */
function watched(lookAt: (ms: number) => Look, endMs: number) {
  const told: [string, number][] = [];
  const ended = Promise.withResolvers<void>();
  let at = 0;
  const watch = watchRollout({
    cluster: { look: async () => lookAt(at) },
    tell: (sentence) => told.push([sentence, at]),
    longestMs: 600_000,
    clock: {
      now: () => at,
      async pause(ms) {
        at += ms;
        await turn();
        if (at < endMs) return;
        watch.stop();
        ended.resolve();
      },
    },
  });
  return { told, watch, ended: ended.promise, now: () => at };
}

test('an up is done when the new pods serve, not when it is told so', async () => {
  const { watch, now } = watched((ms) => (ms < 60_000 ? rolling : serving), 900_000);
  await watch.served();
  expect(now()).toBeGreaterThanOrEqual(60_000);
});

test('what an up waits for is told once, within a minute, and not what passes by itself', async () => {
  const { told, ended } = watched((ms) => (ms < 20_000 || ms > 40_000 ? stuck : rolling), 300_000);
  await ended;
  expect(told.map(([sentence]) => sentence)).toEqual(['api: its image cannot be pulled. not found']);
  expect(told[0]?.[1]).toBeGreaterThan(40_000 + 20_000);
  expect(told[0]?.[1]).toBeLessThanOrEqual(40_000 + 60_000);
});

test('pods that never serve end the up with their names and the cause', async () => {
  const { watch } = watched(() => stuck, 900_000);
  await expect(watch.served()).rejects.toThrow(
    'New pods of api do not serve. api: its image cannot be pulled. not found',
  );
});
