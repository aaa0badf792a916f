import { expect, test } from 'vitest';
import type { SeenCall } from '../support/phone/busy-carrier.ts';
import { judgeCalls, type StoredCall } from './calls-judged.ts';

const number = '+491700000001';

interface History extends Partial<StoredCall> {
  seen?: readonly SeenCall[];
}

const judge = ({ seen = [], ...row }: History) =>
  judgeCalls({
    asked: new Map([[number, 'c_1']]),
    stored: [
      { id: 'c_1', state: 'busy', sip_code: 486, refused_because: null, session: 'ended', billed_seconds: 0, ...row },
    ],
    seen,
  });

const busy: SeenCall = { number, answered: 486 };

test.each<[string, History]>([
  ['a call that was busy', { seen: [busy] }],
  ['a call of which nobody heard the answer', { state: 'unknown', sip_code: null, seen: [busy] }],
  ['a call that was never made', { state: 'unreachable', sip_code: null }],
  ['a call that was refused before it was made', { state: 'refused', sip_code: null, session: null }],
])('%s has no fault', (_, history) => {
  expect(judge(history).faults).toEqual([]);
});

test.each<[string, string, History]>([
  ['made twice', 'it was made 2 times', { seen: [busy, busy] }],
  ['busy, and never made', 'it was never made', {}],
  ['unreachable, and made', 'it was made, and they were busy', { state: 'unreachable', sip_code: null, seen: [busy] }],
  ['busy, and still ringing', 'nobody said that they are busy', { seen: [{ number, answered: undefined }] }],
  ['left with a session', 'its session goes on', { session: 'running', seen: [busy] }],
  ['billed', 'it is billed', { billed_seconds: 3, seen: [busy] }],
  ['lost', 'it is not stored', { id: 'c_2', seen: [busy] }],
  ['of somebody else', 'was called unasked', { seen: [busy, { number: '+491700000002', answered: 486 }] }],
])('a call that is %s is a fault', (_, fault, history) => {
  expect(judge(history).faults.join('\n')).toContain(fault);
});
