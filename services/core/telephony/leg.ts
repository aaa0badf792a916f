import type { ParticipantInfo } from 'livekit-server-sdk';

/**
 * The end of a telephone call in a room is a participant of its own kind, a leg, which the SIP bridge joins while the telephone rings
 * (livekit/sip 1.8.0). What it tells of itself are attributes.
 */

/** ParticipantInfo.Kind.SIP of LiveKit's protocol, which livekit-server-sdk does not export. */
const sipKind = 3;

export const callStatusAttribute = 'sip.callStatus';
/** The value of it from when both sides hear each other; before that nobody pays. */
export const putThrough = 'active';
/** The Call-ID of the SIP dialogue. */
const sipCallIdAttribute = 'sip.callIDFull';
/** Where a trunk of ours has the bridge put the header From (`inboundTrunk` in bridge-state.ts). */
export const fromAttribute = 'parley.from';

/** Rooms of calls that came in begin so; then come the dialled number and something random, as the bridge's rule has it. */
export const inboundRoomPrefix = 'call';
/** Who calls, in every such room: the bridge's own name would be made of their number. */
export const callerIdentity = 'caller';

type Participant = Pick<ParticipantInfo, 'kind' | 'attributes'>;

export const isLeg = ({ kind }: Pick<ParticipantInfo, 'kind'>): boolean => kind === sipKind;

export const isPutThrough = ({ attributes }: Pick<ParticipantInfo, 'attributes'>): boolean =>
  attributes[callStatusAttribute] === putThrough;

/** DisconnectReason of LiveKit's protocol: CLIENT_INITIATED, PARTICIPANT_REMOVED. Others may be a connection that is made anew. */
const hungUpReasons: ReadonlySet<number> = new Set([1, 4]);

/** Whether a leg that has left is gone for good, because the person or we hung up. */
export const isHungUp = ({ disconnectReason }: Pick<ParticipantInfo, 'disconnectReason'>): boolean =>
  hungUpReasons.has(disconnectReason);

/** Undefined until the bridge has told it, which it does as it joins. */
export const sipCallIdOf = ({ attributes }: Participant): string | undefined => attributes[sipCallIdAttribute];

/** A caller of whom the carrier tells nothing. */
export const anonymous = 'anonymous';

/** The caller's number or name as the carrier gave it, or `anonymous`. */
export function callerOf({ attributes }: Participant): string {
  const user = /sips?:([^@;>]+)@/.exec(attributes[fromAttribute] ?? '')?.[1];
  return user ? decodeURIComponent(user) : anonymous;
}

/** Whether a call that came in made the bridge join this room. */
export const isInboundRoom = (room: string): boolean => room.startsWith(`${inboundRoomPrefix}_`);

/** The number that was dialled, as we write numbers: +4930123456; undefined for a room that is none of a call that came in. */
export function dialledNumber(room: string): string | undefined {
  const digits = new RegExp(`^${inboundRoomPrefix}_(?:\\+|00)?([1-9]\\d{5,14})_[^_]+$`).exec(room)?.[1];
  return digits && `+${digits}`;
}
