import type { ParticipantInfo } from 'livekit-server-sdk';
import type { Clock } from '../../process/clock.ts';
import { within } from '../../process/within.ts';
import { leftWithHost, listPresence, markSessionsSeen, type PresenceRow } from '../../store/tables/presence.ts';
import { type LiveRoom, locateLiveRooms, locateStrayRooms } from '../../store/tables/sessions.ts';
import { type PresenceDeps, reportJoined, reportLeft, reportRoomLost } from '../presence/presence.ts';
import { presenceRole } from '../presence/role.ts';
import type { RoomServerTime } from '../rooms/room-server-time.ts';
import { isMissing, type ListedRoom, type Rooms } from '../rooms/rooms.ts';
import { type EndDeps, endIfDue } from '../sessions/end.ts';
import { isLeg } from '../telephony/leg.ts';
import { atOnce } from './at-once.ts';
import { answers, type Outages } from './outages.ts';

export interface ReconcileDeps extends PresenceDeps, EndDeps {
  rooms: Pick<Rooms, 'list' | 'participants' | 'close'>;
  clock: Clock;
  roomTime: Pick<RoomServerTime, 'ours'>;
  outages: Outages;
  /** Whether this worker is the one that compares; absent: it is the only one. */
  leads?: () => Promise<boolean>;
  onCorrection(what: Correction): void;
  /** A room that can't be compared must not hold up the others. */
  onFault(room: string, error: unknown): void;
  /** A monotonic clock, in milliseconds. */
  elapsedMs?: () => number;
}

export type Correction = 'joined' | 'left' | 'room_missing' | 'room_lost' | 'stray_room_deleted';

/** A room that is gone in two looks is gone; an agent host makes it again within a second when the room server restarted. */
const missingLooks = 2;
const roomLostAfterMs = 60_000;
/** Whoever carries a room answers in milliseconds, and where nobody does the room server waits for 3 s (livekit-server 1.13.5). */
const carriedWithinMs = 1_000;
/** Hosts create a room before they write it down. */
const strayAgeMs = 60_000;
/** An agent says its last line in the room of a session that has just ended. */
const strayForMs = 10_000;
const roomsAtOnce = 8;
/**
 * What a look proves is remembered by whoever looked, and written down so often for all: a departure that is found in the list counts from the
 * look before it, and only one that nobody remembers, because every worker was started anew, from what is written.
 */
const provenEveryMs = 15_000;
/** No room has this name: asking for it costs the room server nothing, and tells whether it answers. */
const noRoom = 'parley-none';

interface Absence {
  /** Monotonic milliseconds, and the same moment by the clock. */
  since: number;
  at: Date;
  looks: number;
  /** Whoever carries rooms was asked for it, and nobody does. */
  isGone: boolean;
}

/**
 * Compares what we believe about rooms with the room server's own list: events can be lost, late or out of order. What it
 * remembers between looks is only how long a room has been missing or stray, while the room server answered all that time.
 */
export class Reconciler {
  readonly #deps: ReconcileDeps;
  readonly #elapsedMs: () => number;
  readonly #missing = new Map<string, Absence>();
  readonly #stray = new Map<string, number>();
  /** When a room was last seen as believed, by its name. */
  readonly #proven = new Map<string, Date>();

  constructor(deps: ReconcileDeps) {
    this.#deps = deps;
    this.#elapsedMs = deps.elapsedMs ?? (() => performance.now());
  }

  /**
   * One look; of several workers one compares, and the others only see whether the room server answers, since each must know when it
   * may not conclude anything from absence. While the room server or the database does not answer, nothing is concluded, and what was missing starts anew; what fails
   * of one room concerns that alone.
   * @throws the error of whichever does not answer, which is noted as an outage, or with which it could not be asked
   */
  async look(): Promise<void> {
    const { db, clock, leads, outages, rooms } = this.#deps;
    let isAway = false;
    try {
      const isLeading = (await leads?.()) ?? true;
      const at = clock.now();
      isAway = true;
      const listed = new Map((await rooms.list(isLeading ? undefined : [noRoom])).map((room) => [room.name, room]));
      isAway = false;
      if (!isLeading) return this.#forget();
      const believed = await locateLiveRooms(db);
      await this.#compare(believed, listed, at);
      await this.#removeStray(listed, at);
    } catch (error) {
      if (isAway || !(await answers(db))) outages.note();
      this.#missing.clear();
      this.#stray.clear();
      throw error;
    }
  }

  /** What it remembers holds while it looks all the time. */
  #forget(): void {
    this.#missing.clear();
    this.#stray.clear();
    this.#proven.clear();
  }

  async #compare(believed: readonly LiveRoom[], listed: ReadonlyMap<string, ListedRoom>, at: Date): Promise<void> {
    const live = new Set(believed.map((room) => room.room_name));
    for (const name of this.#missing.keys()) if (!live.has(name) || listed.has(name)) this.#missing.delete(name);
    const there = believed.filter((room) => listed.has(room.room_name));
    const differing = there.filter((room) => !agrees(room, listed.get(room.room_name)));
    const agreeing = there.filter((room) => !differing.includes(room) && room.persons + room.agents > 0);
    for (const name of this.#proven.keys()) if (!live.has(name)) this.#proven.delete(name);
    for (const room of agreeing) this.#proven.set(room.room_name, at);
    const unwritten = agreeing.filter((room) => isOlder(room.least_seen_at, at));
    if (unwritten.length > 0)
      await markSessionsSeen(this.#deps.db, { sessions: unwritten.map((room) => room.session_id), at });
    const missing = believed.filter((room) => !listed.has(room.room_name));
    await atOnce(roomsAtOnce, differing, (room) => this.#alone(room.room_name, () => this.#correct(room, at)));
    await atOnce(roomsAtOnce, missing, (room) => this.#alone(room.room_name, () => this.#miss(room, at)));
  }

  /** @throws only while the database does not answer */
  async #alone(room: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(await answers(this.#deps.db))) throw error;
      this.#deps.onFault(room, error);
    }
  }

  async #correct(room: LiveRoom, at: Date): Promise<void> {
    // What we believe is read first: who is in it and not in the later list has left; the other way round proves nothing.
    const presence = await this.#deps.db.asTenant(room.tenant_id, (tx) => listPresence(tx, room.session_id));
    const participants = await this.#deps.rooms.participants(room.room_name).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (!participants) return;
    await this.#reportDepartures(room, presence, participants, at);
    await this.#reportArrivals(room, presence, participants, at);
  }

  async #reportDepartures(
    room: LiveRoom,
    presence: readonly PresenceRow[],
    participants: readonly ParticipantInfo[],
    at: Date,
  ): Promise<void> {
    const inRoom = new Set(participants.map((participant) => participant.sid));
    for (const row of presence.filter(({ left_at, participant_sid: sid }) => left_at === null && !inRoom.has(sid))) {
      const { participant_sid: sid, identity, role, joined_at: joinedAt, last_seen_at: seen } = row;
      // The list's numbers lag up to 5 s behind, so the last proof may itself be that late: nothing is added to it.
      const proof = later(seen, this.#proven.get(room.room_name));
      const leftAt = proof < at ? proof : at;
      await reportLeft(this.#deps, {
        ...{ room: room.room_name, sid, identity, role, source: 'reconciler' },
        at: leftAt,
        joinedAt,
      });
      this.#deps.onCorrection('left');
    }
  }

  async #reportArrivals(
    room: LiveRoom,
    presence: readonly PresenceRow[],
    participants: readonly ParticipantInfo[],
    at: Date,
  ): Promise<void> {
    const known = new Map(presence.map((row) => [row.participant_sid, row]));
    for (const participant of participants.filter(({ sid }) => isNews(known.get(sid)))) {
      const { sid, identity } = participant;
      const role = presenceRole(participant);
      if (!role) continue;
      await reportJoined(this.#deps, {
        ...{ room: room.room_name, sid, identity, role, source: 'reconciler' },
        // A leg has been in the room since it rang.
        at: known.has(sid) || isLeg(participant) ? at : this.#joinTime(participant, at),
      });
      this.#deps.onCorrection('joined');
    }
  }

  /** As the room server says, unless that is ahead of us. */
  #joinTime({ joinedAtMs }: ParticipantInfo, at: Date): Date {
    if (!joinedAtMs) return at;
    return new Date(Math.min(this.#deps.roomTime.ours(Number(joinedAtMs)), at.getTime()));
  }

  async #miss(room: LiveRoom, at: Date): Promise<void> {
    const absence = this.#missing.get(room.room_name) ?? { since: this.#elapsedMs(), at, looks: 0, isGone: false };
    absence.looks += 1;
    this.#missing.set(room.room_name, absence);
    // Who waits for a host may have no room yet, and nothing is concluded of it.
    const isAsked = absence.looks >= missingLooks && !absence.isGone && (room.persons > 0 || room.status === 'running');
    if (isAsked) {
      if (await this.#isCarried(room.room_name)) {
        this.#missing.delete(room.room_name);
        this.#proven.set(room.room_name, at);
        return;
      }
      absence.isGone = true;
      absence.since = this.#elapsedMs();
    }
    if (absence.looks >= missingLooks && room.persons + room.agents > 0) {
      await reportRoomLost(this.#deps, {
        room: room.room_name,
        at: room.last_seen_at ? later(room.last_seen_at, this.#proven.get(room.room_name)) : absence.at,
        source: 'reconciler',
        lookedAt: at,
      });
      this.#deps.onCorrection('room_missing');
    }
    if (room.status !== 'running' || this.#elapsedMs() - absence.since < roomLostAfterMs) return;
    const { session_id: session, tenant_id: tenant } = room;
    const lost = await endIfDue(this.#deps, { tenant, session, source: 'reconciler' }, async (_tx, { presence }) =>
      // Who came since the look is in the room that was made anew.
      presence.some(({ left_at }) => left_at === null) ? undefined : { reason: 'room_lost', at: absence.at },
    );
    if (lost) this.#deps.onCorrection('room_lost');
  }

  /**
   * Whether somebody is in a room that is not listed. Lists come from the Redis that room servers share: when that comes back empty, they go on with
   * rooms which it does not know, until somebody comes or goes. Who is in a room is asked of the server that carries it.
   */
  async #isCarried(room: string): Promise<boolean> {
    try {
      return (await within(carriedWithinMs, 'who carries a room', this.#deps.rooms.participants(room))).length > 0;
    } catch {
      // No server answers for it.
      return false;
    }
  }

  /** Rooms that belong to neither a live session nor a host: a host died, or a session ended and nobody closed its room. */
  async #removeStray(listed: ReadonlyMap<string, ListedRoom>, at: Date): Promise<void> {
    const old = [...listed.values()].filter((room) => at.getTime() - room.createdAt.getTime() > strayAgeMs);
    const stray = old.length === 0 ? [] : await locateStrayRooms(this.#deps.db, names(old));
    for (const name of this.#stray.keys()) if (!stray.includes(name)) this.#stray.delete(name);
    for (const name of stray) {
      const since = this.#stray.get(name) ?? this.#elapsedMs();
      this.#stray.set(name, since);
      if (this.#elapsedMs() - since < strayForMs) continue;
      await this.#alone(name, async () => {
        await this.#deps.rooms.close(name);
        this.#stray.delete(name);
        this.#deps.onCorrection('stray_room_deleted');
      });
    }
  }
}

const later = (one: Date, other: Date | undefined): Date => (other && other > one ? other : one);

const isOlder = (seen: Date | null, at: Date) => seen === null || at.getTime() - seen.getTime() >= provenEveryMs;

const names = (rooms: readonly ListedRoom[]) => rooms.map((room) => room.name);

/**
 * Whether nothing needs a closer look. The list counts persons only, so for agents we ask when a conversation does not have
 * exactly one: an agent that waited in a warm room joined before there was a session that its event could belong to.
 */
function agrees(room: LiveRoom, listed: ListedRoom | undefined): boolean {
  return room.persons === listed?.persons && (room.persons === 0 || room.agents === 1);
}

/**
 * Whether it is news that somebody is listed: we know nothing of them, or believe that they left, although they are listed after we read
 * that. The agents of a dead host are listed for some 20 s.
 */
const isNews = (row: PresenceRow | undefined) => !row || (row.left_at !== null && row.left_by !== leftWithHost);
