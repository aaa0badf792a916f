import { ConnectionState, ParticipantKind, type RemoteParticipant, type Room, RoomEvent } from '@livekit/rtc-node';
import { agentIdentity } from '../../core/rooms/rooms.ts';

export interface PersonInRoom {
  sid: string;
  identity: string;
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
    if (!isPerson(who)) return;
    leaving.delete(who.sid ?? '');
    onPersonJoined(named(who));
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

const named = ({ sid, identity }: RemoteParticipant): PersonInRoom => ({ sid: sid ?? '', identity });
