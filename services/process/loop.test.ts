import { expect, test } from 'vitest';
import { startLoop } from './loop.ts';

const ignore = () => undefined;

test('runs never overlap, and a nudge during a run is followed by exactly one more', async () => {
  let running = 0;
  let runs = 0;
  const gates: PromiseWithResolvers<void>[] = [];
  const begun: PromiseWithResolvers<void>[] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const loop = startLoop(
    1_000_000,
    async () => {
      running += 1;
      expect(running).toBe(1);
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      begun[runs]?.resolve();
      runs += 1;
      await gate.promise;
      running -= 1;
    },
    ignore,
  );
  await begun[0]?.promise;
  loop.nudge();
  loop.nudge();
  gates[0]?.resolve();
  await begun[1]?.promise;
  const stopped = loop.stop();
  gates[1]?.resolve();
  await stopped;
  loop.nudge();
  expect(runs).toBe(2);
});

test('a run that throws is told and does not end the loop', async () => {
  const errors: unknown[] = [];
  const enough = Promise.withResolvers<void>();
  const loop = startLoop(
    1,
    async () => {
      if (errors.length === 3) enough.resolve();
      throw new Error('no');
    },
    (error) => errors.push(error),
  );
  await enough.promise;
  await loop.stop();
  expect(errors.length).toBeGreaterThanOrEqual(3);
});
