import { describe, expect, test } from 'vitest';
import { callerOf, dialledNumber, isLeg, isPutThrough } from './leg.ts';

describe('the leg of a call', () => {
  test.each([
    ['call_+4930123456_3vYbGq', '+4930123456'],
    ['call_4930123456_3vYbGq', '+4930123456'],
    ['call_004930123456_3vYbGq', '+4930123456'],
    ['call_0_3vYbGq', undefined],
    ['call_+49x30_3vYbGq', undefined],
    ['r_3vYbGq', undefined],
  ])('was dialled by the number in the name of its room: %s', (room, number) => {
    expect(dialledNumber(room)).toBe(number);
  });

  test.each([
    ['"Ada" <sip:+49170123@10.0.0.1>;tag=1', '+49170123'],
    ['<sips:ada%20l@10.0.0.1:5061>', 'ada l'],
    ['<sip:10.0.0.1>', 'anonymous'],
    [undefined, 'anonymous'],
  ])('names its caller as the carrier does: %s', (from, caller) => {
    expect(callerOf({ kind: 3, attributes: from === undefined ? {} : { 'parley.from': from } })).toBe(caller);
  });

  test('is put through when both sides hear each other, and not while it rings', () => {
    expect(isLeg({ kind: 3 })).toBe(true);
    expect(isLeg({ kind: 0 })).toBe(false);
    expect(isPutThrough({ attributes: { 'sip.callStatus': 'ringing' } })).toBe(false);
    expect(isPutThrough({ attributes: { 'sip.callStatus': 'active' } })).toBe(true);
  });
});
