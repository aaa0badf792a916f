import { type Room, RpcError } from '@livekit/rtc-node';
import { within } from '../../process/within.ts';

const { ErrorCode } = RpcError;

/** A method that no client has. */
const method = 'parley.arrived';
/** What is answered for the person's client by nobody: its own words about a method that it has not are proof enough. */
const unanswered: ReadonlySet<number> = new Set([ErrorCode.CONNECTION_TIMEOUT, ErrorCode.SEND_FAILED]);
const away: ReadonlySet<number> = new Set([ErrorCode.RECIPIENT_NOT_FOUND, ErrorCode.RECIPIENT_DISCONNECTED]);

/** Of words on their way to a person: their client has them; nobody has said so in time; or nobody is there to have them. */
export type Arrival = 'arrived' | 'unknown' | 'away';

/**
 * Whether all that was written to this person has arrived, as far as can be told within `withinMs`. A call travels behind the words,
 * on the same ordered channel, and every client answers that it does not know the method: whoever answers has the words.
 */
export async function wordsArrived(room: Room, identity: string, withinMs: number): Promise<Arrival> {
  const self = room.localParticipant;
  if (!self) return 'unknown';
  try {
    await within(withinMs, 'the person', self.performRpc({ destinationIdentity: identity, method, payload: '' }));
    return 'arrived';
  } catch (error) {
    const code = error instanceof RpcError ? Number(error.code) : undefined;
    if (code === undefined || unanswered.has(code)) return 'unknown';
    return away.has(code) ? 'away' : 'arrived';
  }
}
