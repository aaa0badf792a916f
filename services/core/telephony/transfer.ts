import { SipCallError, SipClient, TwirpError } from 'livekit-server-sdk';
import type { RoomServer } from '../rooms/rooms.ts';

/** So long it may ring at the destination. */
export const ringingSeconds = 30;
/** After this the bridge has given up whatever it was asked. */
const requestSeconds = ringingSeconds + 5;

export interface Transfer {
  room: string;
  /** Whose telephone. */
  identity: string;
  /** Whom it is to call instead: +4930123456. */
  to: string;
}

/**
 * What the bridge says of a transfer. `over`: somebody answered, or the call ended before anybody told: the bridge gives the same answer for both
 * (livekit/sip 1.8.0, `TransferCall`); where somebody answered it hangs up a second later, unless the caller's side does.
 */
export type TransferTold = 'over' | 'busy' | 'no_answer' | 'refused' | 'unknown';

export interface Transfers {
  /** Has the bridge ask the caller's side to call somebody else (REFER, RFC 3515), once; the caller hears it ring meanwhile. Never throws. */
  ask(transfer: Transfer): Promise<TransferTold>;
}

/** Nothing is contacted before the first call. */
export function openTransfers({ url, apiKey, apiSecret }: RoomServer): Transfers {
  // Repeated by the client, a request would have somebody's telephone ring twice.
  const client = new SipClient(url.replace(/^ws/, 'http'), apiKey, apiSecret, { failover: false });
  return {
    ask: async ({ room, identity, to }) => {
      const options = { playDialtone: true, ringingTimeout: ringingSeconds, timeout: requestSeconds };
      return client.transferSipParticipant(room, identity, `tel:${to}`, options).then(() => 'over' as const, toldBy);
    },
  };
}

/** By the code of SIP where there is one: of the answer to REFER, or of what the caller's side tells of its own call (RFC 3515, 2.4.4). */
export function toldBy(error: unknown): TransferTold {
  if (error instanceof SipCallError && error.sipStatusCode !== undefined) return bySipCode(error.sipStatusCode);
  if (!(error instanceof TwirpError)) return 'unknown';
  switch (error.code) {
    case 'canceled':
    case 'deadline_exceeded':
      return 'no_answer';
    case 'not_found':
    case 'invalid_argument':
    case 'failed_precondition':
    case 'unimplemented':
      return 'refused';
    default:
      return 'unknown';
  }
}

function bySipCode(code: number): TransferTold {
  switch (code) {
    case 486:
    case 600:
      return 'busy';
    case 408:
    case 480:
    case 487:
      return 'no_answer';
    default:
      return 'refused';
  }
}
