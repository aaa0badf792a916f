import { SIPOutboundConfig, SIPTransport } from '@livekit/protocol';
import { SipCallError, SipClient, TwirpError } from 'livekit-server-sdk';
import type { TrunkRow } from '../../../store/tables/trunks.ts';
import { personIdentity, type RoomServer } from '../../rooms/rooms.ts';

/** So long it may ring. Below what the room server waits for the bridge's answer (80 s, livekit-server 1.13.5). */
export const ringingSeconds = 60;
/** After this the bridge has given up whatever it was asked: who is not in the room by then will not come. */
export const dialEndsMs = 85_000;

export interface Dial {
  room: string;
  from: string;
  to: string;
  trunk: Pick<TrunkRow, 'address' | 'transport' | 'auth_username'>;
  /** Undefined where the carrier asks for none. */
  password: string | undefined;
  maxSeconds: number;
}

export type Dialled =
  | { result: 'answered'; sipCallId: string }
  /** A final answer, by its code. */
  | { result: 'refused'; sipCode: number }
  /** It rang for as long as it may, or whoever waited was told to stop. */
  | { result: 'gave_up' }
  /** The carrier could not be reached: no call was made. */
  | { result: 'unreachable' }
  /** Nobody knows. */
  | { result: 'unknown'; error: unknown };

export interface Dialler {
  /** Asks the bridge to call somebody into a room, once, and waits for what comes of it. Asked again it would call again. */
  dial(dial: Dial): Promise<Dialled>;
}

const transports = {
  udp: SIPTransport.SIP_TRANSPORT_UDP,
  tcp: SIPTransport.SIP_TRANSPORT_TCP,
  tls: SIPTransport.SIP_TRANSPORT_TLS,
} as const;

export function openDialler({ url, apiKey, apiSecret }: RoomServer): Dialler {
  // Repeated by the client, which it does by itself after a lost connection, a request would ring somebody's telephone twice.
  const client = new SipClient(url.replace(/^ws/, 'http'), apiKey, apiSecret, { failover: false });
  return {
    dial: async ({ room, from, to, trunk, password, maxSeconds }) => {
      const carrier = new SIPOutboundConfig({
        hostname: trunk.address,
        transport: transports[trunk.transport],
        authUsername: trunk.auth_username ?? '',
        authPassword: password ?? '',
      });
      const options = {
        fromNumber: from,
        participantIdentity: personIdentity,
        // The bridge would put it into attributes that everybody in the room can read.
        hidePhoneNumber: true,
        waitUntilAnswered: true,
        ringingTimeout: ringingSeconds,
        maxCallDuration: maxSeconds,
        timeout: dialEndsMs / 1_000,
      };
      try {
        const { sipCallId } = await client.createSipParticipant('', to, room, options, carrier);
        return { result: 'answered', sipCallId };
      } catch (error) {
        return outcomeOf(error);
      }
    },
  };
}

/**
 * What the errors of livekit-server 1.13.5 and livekit/sip 1.8.0 say, as they were seen: a code of SIP where the carrier has answered; else
 * whether a telephone may have rung. Any other leaves that open.
 */
export function outcomeOf(error: unknown): Dialled {
  if (error instanceof SipCallError && error.sipStatusCode !== undefined)
    return { result: 'refused', sipCode: error.sipStatusCode };
  if (!(error instanceof TwirpError)) return { result: 'unknown', error };
  if (error.code === 'canceled') return { result: wasNotHeard.test(error.message) ? 'unreachable' : 'gave_up' };
  return madeNoCall(error) ? { result: 'unreachable' } : { result: 'unknown', error };
}

/** The carrier has said nothing for 32 s (timer B of RFC 3261, section 17.1.1.2). */
const wasNotHeard = /transaction failed to complete \(0 /;
/** The room is gone, or the room server has no Redis. */
const hasNoWay = /update room failed|sip not connected/;

/** No name, no connection, no bridge, no room. */
function madeNoCall({ code, message }: TwirpError): boolean {
  switch (code) {
    case 'invalid_argument':
    case 'failed_precondition':
    case 'unavailable':
      return true;
    default:
      return hasNoWay.test(message);
  }
}
