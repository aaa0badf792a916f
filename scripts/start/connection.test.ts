import { expect, test } from 'vitest';
import { changes } from './connection.ts';

const credentials = (apiKey: string) => ({ apiKey, apiSecret: 'sk' });

test('agents that come, go or have another key are said, others are not', () => {
  const before = { a: credentials('pk_1'), b: credentials('pk_2'), c: credentials('pk_3') };
  const after = { a: credentials('pk_1'), c: credentials('pk_4'), d: credentials('pk_5') };
  expect(changes(before, after)).toEqual([
    'Agent b is off: its file is gone.',
    'Agent c has the key pk_4',
    'Agent d has the key pk_5',
  ]);
});

test('an agent that is disabled stays, and what brings it back is said', () => {
  const [on, off] = [{ a: credentials('pk_1') }, { a: { ...credentials('pk_1'), disabled: true as const } }];
  expect(changes(on, off)).toEqual(['Agent a is disabled: its key is refused until "npx parley agents enable a".']);
  expect(changes(off, on)).toEqual(['Agent a is enabled.']);
});
