import { SipCallError, TwirpError } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { toldBy } from './transfer.ts';

test.each([
  ['486', 'busy'],
  ['480', 'no_answer'],
  ['603', 'refused'],
  ['405', 'refused'],
] as const)('what the carrier answers is told by its code %s: %s', (code, told) => {
  expect(toldBy(new SipCallError('x', 'y', 412, 'failed_precondition', { sip_status_code: code }))).toBe(told);
});

test('a transfer that came to nothing is told by why it did', () => {
  expect(toldBy(new TwirpError('x', 'the request was canceled', 408, 'canceled'))).toBe('no_answer');
  expect(toldBy(new TwirpError('x', 'no such call', 404, 'not_found'))).toBe('refused');
  expect(toldBy(new TwirpError('x', 'broken', 500, 'internal'))).toBe('unknown');
  expect(toldBy(new Error('the connection was lost'))).toBe('unknown');
});
