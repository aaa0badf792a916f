import { type Room, RpcError } from '@livekit/rtc-node';
import { within } from '../../process/within.ts';

const { ErrorCode } = RpcError;

/** A method that no client has. */
const method = 'parley.arrived';
/** What is answered for the person's client by nobody: its own words about a method that it has not are proof enough. */
const unanswered: ReadonlySet<number> = new Set([ErrorCode.CONNECTION_TIMEOUT, ErrorCode.SEND_FAILED]);

/**
 * Whether all that was written to this person has arrived, as far as can be told within `withinMs`. A call travels behind the words,
 * on the same ordered channel, and every client answers that it does not know the method: whoever answers has the words. Of
 * somebody who is not there nothing is waited for.
 */
export async function wordsArrived(room: Room, identity: string, withinMs: number): Promise<boolean> {
  const self = room.localParticipant;
  if (!self) return false;
  try {
    await within(withinMs, 'the person', self.performRpc({ destinationIdentity: identity, method, payload: '' }));
    return true;
  } catch (error) {
    return error instanceof RpcError && !unanswered.has(Number(error.code));
  }
}
