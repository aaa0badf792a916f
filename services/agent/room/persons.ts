import { ConnectionState, ParticipantKind, type RemoteParticipant, type Room, RoomEvent } from '@livekit/rtc-node';
import { agentIdentity } from '../../core/rooms/rooms.ts';
import { callStatusAttribute, putThrough } from '../../core/telephony/leg.ts';

export interface PersonInRoom {
  sid: string;
  identity: string;
  /** By telephone: in the room since it began to ring. */
  isLeg: boolean;
}

export interface PersonsListener {
  onPersonJoined(person: PersonInRoom): void;
  /** `agoMs`: how long ago the connection told it. */
  onPersonLeft(person: PersonInRoom, agoMs: number): void;
}

/**
 * When rtc-node 0.13.35 makes a lost connection wholly anew, it tells first that everybody left, a millisecond later that it is
 * reconnecting, and within 0.1 s that the same persons, by the same sids, have come. Nobody waits for our word on a leave: the
 * room server's own event takes some 20 ms.
 */
const leaveSettlesMs = 1_000;

export const isPerson = (participant: RemoteParticipant): boolean =>
  participant.kind !== ParticipantKind.AGENT && participant.identity !== agentIdentity;

/** Somebody on the telephone, or whose telephone rings. */
export const isLeg = (participant: RemoteParticipant): boolean => participant.kind === ParticipantKind.SIP;

/** A person who hears and is heard: by telephone, who has been put through. */
export const isPresent = (participant: RemoteParticipant): boolean =>
  isPerson(participant) && (!isLeg(participant) || isPutThrough(participant));

/** Tells who comes into a room and who leaves it. Who seems to leave while the connection is made anew is looked for after it. */
export function watchPersons(room: Room, { onPersonJoined, onPersonLeft }: PersonsListener): void {
  const leaving = new Map<string, { person: PersonInRoom; since: number }>();
  const settle = (sid: string) => {
    const left = leaving.get(sid);
    // While the connection is being made anew nobody knows; once it is lost for good, others tell.
    if (!left || room.connectionState !== ConnectionState.CONN_CONNECTED) return;
    leaving.delete(sid);
    if (!isThere(room, sid)) onPersonLeft(left.person, performance.now() - left.since);
  };
  room.on(RoomEvent.ParticipantConnected, (who) => {
    if (!isPresent(who)) return;
    leaving.delete(who.sid ?? '');
    onPersonJoined(named(who));
  });
  room.on(RoomEvent.ParticipantAttributesChanged, (changed, who) => {
    if (callStatusAttribute in changed && who.identity !== agentIdentity) {
      const leg = room.remoteParticipants.get(who.identity);
      if (leg && isLeg(leg) && isPutThrough(leg)) onPersonJoined(named(leg));
    }
  });
  room.on(RoomEvent.ParticipantDisconnected, (who) => {
    if (!isPerson(who)) return;
    const person = named(who);
    leaving.set(person.sid, { person, since: performance.now() });
    setTimeout(settle, leaveSettlesMs, person.sid).unref();
  });
  room.on(RoomEvent.Reconnected, () => {
    for (const sid of leaving.keys()) setTimeout(settle, leaveSettlesMs, sid).unref();
  });
}

const isThere = (room: Room, sid: string) => [...room.remoteParticipants.values()].some((one) => one.sid === sid);

const named = (who: RemoteParticipant): PersonInRoom => ({
  sid: who.sid ?? '',
  identity: who.identity,
  isLeg: isLeg(who),
});

const isPutThrough = ({ attributes }: RemoteParticipant): boolean => attributes[callStatusAttribute] === putThrough;
