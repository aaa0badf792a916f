import './quiet-native-layer.ts';
import { ContinualGatheringPolicy, IceTransportType, type Room } from '@livekit/rtc-node';
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

/** Joins; resolves when what is sent to the room would be received. @throws TooLate, or what the room server refused it for */
export const connect = (room: Room, url: string, token: string): Promise<void> =>
  within(joinedWithinMs, 'the room', room.connect(url, token, connectOptions));
