import { expect, test } from 'vitest';
import { ScenariosBroke, ScenariosTooSlow } from '../../scenario-runner/child-process.ts';
import { retryBroken } from './retry-broken.ts';

/** Fails with these errors, one after another, before it answers. */
function failing(...errors: Error[]) {
  const told: string[] = [];
  let runs = 0;
  const run = async () => {
    const error = errors[runs];
    runs += 1;
    if (error) throw error;
    return 'passed';
  };
  const result = retryBroken(run, {
    waitsMs: [1, 1],
    onBroke: ({ message }) => told.push(message),
    signal: new AbortController().signal,
  });
  return { result, told, runs: () => runs };
}

test('what broke is run again, and each time is told', async () => {
  const { result, told } = failing(new ScenariosBroke('a'), new ScenariosBroke('b'));
  expect(await result).toBe('passed');
  expect(told).toEqual(['a', 'b']);
});

test('after the last attempt it is given up', async () => {
  const { result, runs } = failing(new ScenariosBroke('a'), new ScenariosBroke('b'), new ScenariosBroke('c'));
  await expect(result).rejects.toThrow('c');
  expect(runs()).toBe(3);
});

test('what only takes too long, or is aborted, is not run again', async () => {
  for (const error of [new ScenariosTooSlow('slow'), new Error('aborted')]) {
    const { result, runs, told } = failing(error);
    await expect(result).rejects.toBe(error);
    expect([runs(), told]).toEqual([1, []]);
  }
});
