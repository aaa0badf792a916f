import { describe, expect, test } from 'vitest';
import { changesOf, headersToAttributes, type KnownRule, type KnownTrunk } from './bridge-state.ts';

const wanted = {
  id: 'ours',
  numbers: ['+4930123456'],
  allowedAddresses: ['203.0.113.7'],
  authUsername: '',
  authPassword: '',
};
const known: KnownTrunk = { ...wanted, sipTrunkId: 'ST_1', headersToAttributes };
const rule: KnownRule = {
  sipDispatchRuleId: 'SDR_1',
  trunkIds: ['ST_1'],
  hidesNumber: true,
  isRandom: true,
  roomPrefix: 'call',
};

describe('what the bridge is to learn', () => {
  test('is nothing when it knows all', () => {
    expect(changesOf([wanted], { trunks: [known], rules: [rule] })).toEqual([]);
  });

  test('is everything after its Redis came back empty: the trunk, and with the next look its rule', () => {
    expect(changesOf([wanted], { trunks: [], rules: [] })).toEqual([
      { kind: 'add_trunk', trunk: wanted, sipTrunkId: undefined },
    ]);
    expect(changesOf([wanted], { trunks: [known], rules: [] })).toEqual([{ kind: 'add_rule', sipTrunkId: 'ST_1' }]);
  });

  test('is that a trunk is gone, and its rule first', () => {
    expect(changesOf([], { trunks: [known], rules: [rule] })).toEqual([
      { kind: 'remove_rule', sipDispatchRuleId: 'SDR_1' },
      { kind: 'remove_trunk', sipTrunkId: 'ST_1' },
    ]);
  });

  test.each([
    ['a number', { numbers: ['+4930123456', '+4930123457'] }],
    ['an address', { allowedAddresses: ['203.0.113.8'] }],
    ['a password', { authUsername: 'us', authPassword: 'other' }],
  ])('is %s that changed', (_, change) => {
    const trunk = { ...wanted, ...change };
    expect(changesOf([trunk], { trunks: [known], rules: [rule] })).toEqual([
      { kind: 'replace_trunk', trunk, sipTrunkId: 'ST_1' },
    ]);
  });

  test.each([
    ['without a number, which would take calls to any', { numbers: [] }],
    ['without addresses and password, which would take calls of anybody', { allowedAddresses: [] }],
    ['whose password is not there', { allowedAddresses: [], authUsername: 'us' }],
  ])('is never a trunk %s', (_, change) => {
    expect(changesOf([{ ...wanted, ...change }], { trunks: [], rules: [] })).toEqual([]);
    expect(changesOf([{ ...wanted, ...change }], { trunks: [known], rules: [rule] })).toHaveLength(2);
  });

  test.each([
    ['that shows the number', { hidesNumber: false }],
    ['that puts all callers into one room', { isRandom: false }],
    ['for everybody', { trunkIds: [] }],
  ])('is never a rule %s: one like that goes', (_, change) => {
    expect(changesOf([wanted], { trunks: [known], rules: [{ ...rule, ...change }] })).toEqual([
      { kind: 'remove_rule', sipDispatchRuleId: 'SDR_1' },
      { kind: 'add_rule', sipTrunkId: 'ST_1' },
    ]);
  });
});
