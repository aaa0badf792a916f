import { expect, test } from 'vitest';
import { isUnderWay, stageOf } from './change-state.tsx';

test.each([
  [{ state: 'pending', activation: null }, 'pending', true],
  [{ state: 'refused', activation: null }, 'refused', false],
  [{ state: 'written', activation: 'pending' }, 'written', true],
  [{ state: 'written', activation: 'live' }, 'live', false],
  [{ state: 'written', activation: 'refused' }, 'held', false],
] as const)('%j is %s', (change, stage, goesOn) => {
  expect([stageOf(change), isUnderWay(change)]).toEqual([stage, goesOn]);
});
