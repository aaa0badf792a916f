import { SipCallError, TwirpError } from 'livekit-server-sdk';
import { expect, test } from 'vitest';
import { outcomeOf } from './dialler.ts';

/** As the room server and the bridge were seen to answer. */
const seen: [string, number, string, string][] = [
  ['a name that is none', 400, 'invalid_argument', 'fail to resolve target for "nosuch.invalid"'],
  [
    'a port that is closed',
    412,
    'failed_precondition',
    'transport<TCP> dial err=dial tcp: connect: connection refused',
  ],
  ['nobody at the address, by UDP', 408, 'canceled', 'transaction failed to complete (0 intermediate responses)'],
  ['no bridge', 503, 'unavailable', 'no response from servers'],
  ['a room that is gone', 500, 'internal', 'update room failed: not found'],
  ['no API to let the bridge into the room', 500, 'internal', 'update room failed: could not dial signal connection'],
  ['a room server without Redis', 500, 'internal', 'sip not connected (redis required)'],
];

test.each(seen)('%s: nobody was called', (_, status, code, message) => {
  expect(outcomeOf(new TwirpError('Error', message, status, code))).toEqual({ result: 'unreachable' });
});

test('what rang for as long as it may was not answered', () => {
  const error = new TwirpError('Request Timeout', 'sip request timed out', 408, 'canceled');
  expect(outcomeOf(error)).toEqual({ result: 'gave_up' });
});

test('the carrier’s own answer is told by its code', () => {
  const error = new SipCallError('Error', 'busy', 412, 'failed_precondition', { sip_status_code: '486' });
  expect(outcomeOf(error)).toEqual({ result: 'refused', sipCode: 486 });
});

test.each([
  ['the bridge died while it rang', new TwirpError('Error', 'request timed out', 408, 'deadline_exceeded')],
  ['the room server died', new TypeError('fetch failed')],
  ['anything else', new TwirpError('Error', 'what is this', 500, 'internal')],
])('%s: nobody knows', (_, error) => {
  expect(outcomeOf(error)).toEqual({ result: 'unknown', error });
});
