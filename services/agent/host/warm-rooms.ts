import type { Rooms } from '../../core/rooms/rooms.ts';
import { newRoomName } from '../../core/sessions/ids.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Database } from '../../store/database.ts';
import { deleteWarmRoom, insertWarmRoom, listWarmRooms } from '../../store/tables/hosts.ts';
import { AgentRoom } from '../room/agent-room.ts';

const known = 'the next look tries again, and what a host leaves on the list goes with it';
const swept = 'the worker deletes rooms that belong to nobody';

export interface WarmRoomsOptions {
  db: Database;
  rooms: Rooms;
  hostId: string;
  /** How many are kept ready while nobody comes; 0: none, ever. */
  atRest: number;
  /** How many are kept ready at most, however many come. */
  most: number;
  /** How long one is kept at most, before another takes its place. */
  keptSeconds: number;
  /** A further one is ready: somebody may wait for it. */
  onReady: (room: string) => void;
  onFailed: (room: string) => void;
}

/**
 * As many rooms are kept ready as were taken in this time: callers of a burst who were told to come back in a second find theirs
 * (bench, text-sessions: 50 at once took 10.5 s to be served from 4 rooms).
 */
const demandWindowMs = 3_000;
/** Of the rooms, so many are given up for their age at a time: callers find the others. */
const renewedAtOnce = 1 / 4;
/** A taken room whose session was never told to us is given up after this. */
const orphanMs = 30_000;

interface WarmRoom {
  room: AgentRoom;
  since: number;
  /** Since when the database does not know it as ours: a session has got it, and we are about to hear of it. */
  takenSince?: number;
}

/**
 * Rooms that the agent is in already, for sessions that nobody has asked for yet: nothing in them belongs to an agent or
 * a tenant, what a person says in one is kept until its conversation is attached.
 */
export class WarmRooms {
  readonly #options: WarmRoomsOptions;
  readonly #ready = new Map<string, WarmRoom>();
  #takenAt: number[] = [];
  #opening = 0;
  #closed = false;

  constructor(options: WarmRoomsOptions) {
    this.#options = options;
  }

  /** Rooms that are there or on their way. */
  get count(): number {
    return this.#ready.size + this.#opening;
  }

  get ready(): number {
    return this.#ready.size;
  }

  get opening(): number {
    return this.#opening;
  }

  /** How many should be there now: what came lately is likely to come again. */
  get target(): number {
    const { atRest, most } = this.#options;
    if (atRest === 0) return 0;
    const since = performance.now() - demandWindowMs;
    this.#takenAt = this.#takenAt.filter((at) => at > since);
    return Math.max(atRest, Math.min(most, this.#takenAt.length));
  }

  /** Opens up to `free` rooms that are missing; each joins by itself. */
  refill(free: number): void {
    const missing = this.#closed ? 0 : Math.min(free, this.target - this.count);
    for (let i = 0; i < missing; i += 1) void this.#open();
  }

  /** The room of this name, which now belongs to a session. */
  take(name: string): AgentRoom | undefined {
    const room = this.#remove(name);
    if (room) this.#takenAt.push(performance.now());
    return room;
  }

  /**
   * Gives up rooms that are more than are wanted or have been there for long, those that the room servers do not know any more, and those
   * that the database does not know as ours any more and that no session came for.
   */
  async reconcile(): Promise<void> {
    await bestEffort('the next look tells', this.#discardUnknown());
    const surplus = Math.max(0, this.#ready.size - this.target);
    const unwanted = [...this.#ready.keys()].slice(0, Math.max(surplus, this.#dueCount()));
    await Promise.all(unwanted.map((name) => this.#withdraw(name)));
    const known = new Set((await listWarmRooms(this.#options.db, this.#options.hostId)).map((row) => row.room_name));
    for (const [name, warm] of this.#ready) {
      if (known.has(name)) continue;
      warm.takenSince ??= performance.now();
      if (performance.now() - warm.takenSince > orphanMs) await this.#discard(name);
    }
  }

  /**
   * Several room servers know of rooms by the cache that they share. When that comes back empty our connection goes on, and whoever came
   * would hear that the room does not exist.
   */
  async #discardUnknown(): Promise<void> {
    const ours = [...this.#ready.keys()];
    if (ours.length === 0) return;
    const there = new Set((await this.#options.rooms.list(ours)).map(({ name }) => name));
    await Promise.all(ours.filter((name) => !there.has(name)).map((name) => this.#discard(name)));
  }

  /** All of them, at once: this host stops, or was declared dead. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.discardAll();
  }

  async discardAll(): Promise<void> {
    await Promise.all([...this.#ready.keys()].map((name) => this.#discard(name)));
  }

  /**
   * A room server that drains opens no new rooms and waits for everybody in those that it has, which we are: rooms that were kept
   * for ever would keep it for ever. The oldest come first in the map.
   */
  #dueCount(): number {
    const dueSince = performance.now() - this.#options.keptSeconds * 1_000;
    const due = [...this.#ready.values()].filter(({ since }) => since < dueSince).length;
    return Math.min(due, Math.ceil(this.#ready.size * renewedAtOnce));
  }

  #remove(name: string): AgentRoom | undefined {
    const warm = this.#ready.get(name);
    this.#ready.delete(name);
    return warm?.room;
  }

  /** Gives a room up unless a session has got it. */
  async #withdraw(name: string): Promise<void> {
    const { db, rooms } = this.#options;
    if (!(await bestEffort(known, deleteWarmRoom(db, name)))) return;
    await this.#remove(name)?.leave();
    await bestEffort(swept, rooms.close(name));
  }

  /** Gives a room up that is of no use, whoever has got it. */
  async #discard(name: string): Promise<void> {
    const { db, rooms } = this.#options;
    const wasOurs = await bestEffort(known, deleteWarmRoom(db, name));
    const room = this.#remove(name);
    await room?.leave();
    // Taken by a session meanwhile: the room is that session's, whoever will serve it.
    if (wasOurs) await bestEffort(swept, rooms.close(name));
  }

  async #open(): Promise<void> {
    this.#opening += 1;
    const { db, rooms, hostId } = this.#options;
    const name = newRoomName();
    try {
      const room = await AgentRoom.join(name, rooms);
      this.#ready.set(name, { room, since: performance.now() });
      // A room that was lost, or whose connection was made again, before anybody came is nobody's: another takes its place. After a
      // restart of the room server about 1 in 100 such connections lost all words but the first (proofs, room server restarted).
      void room.disturbed.then(() => (this.#ready.has(name) ? this.#discard(name) : undefined));
      await insertWarmRoom(db, name, hostId);
      this.#options.onReady(name);
    } catch {
      this.#options.onFailed(name);
      const room = this.#remove(name);
      await room?.leave();
      await bestEffort(swept, rooms.close(name));
    } finally {
      this.#opening -= 1;
    }
  }
}
