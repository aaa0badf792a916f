import './quiet-native-layer.ts';
import { ContinualGatheringPolicy, IceTransportType, type Room } from '@livekit/rtc-node';
import { bestEffort } from '../../process/best-effort.ts';
import { within } from '../../process/within.ts';

/** A join takes a tenth of a second; one that hangs must not keep its place among the few that may be under way. */
const joinedWithinMs = 8_000;

/**
 * Our settings for every connection: nothing is gathered that a host inside the installation does not
 * need, once, and no media is subscribed to.
 */
const connectOptions = {
  autoSubscribe: false,
  dynacast: false,
  // Of one text or answer, packed or not; the client's own limit is 5 GB, which a person could have us hold.
  dataStream: { maxPayloadByteLength: 1_048_576 },
  rtcConfig: {
    iceServers: [],
    iceTransportType: IceTransportType.TRANSPORT_ALL,
    continualGatheringPolicy: ContinualGatheringPolicy.GATHER_ONCE,
  },
};

/**
 * Joins; resolves when what is sent to the room would be received. A join that is given up goes on in the native layer, and rtc-node
 * 0.13.35 leaves only rooms that it is in: whoever comes in late leaves again. Otherwise it sends out the agent of
 * another host and stands in the room itself, saying and hearing nothing.
 *
 * @throws TooLate, or what the room server refused it for
 */
export async function connect(room: Room, url: string, token: string): Promise<void> {
  const joined = room.connect(url, token, connectOptions);
  try {
    await within(joinedWithinMs, 'the room', joined);
  } catch (error) {
    void bestEffort(
      'it may not come in late either',
      joined.then(() => room.disconnect()),
    );
    throw error;
  }
}
