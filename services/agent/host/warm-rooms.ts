import { newRoomName } from '../../core/ids.ts';
import type { Rooms } from '../../core/rooms/rooms.ts';
import type { Database } from '../../store/database.ts';
import { deleteWarmRoom, insertWarmRoom, listWarmRooms } from '../../store/tables/hosts.ts';
import { AgentRoom } from '../room/agent-room.ts';

export interface WarmRoomsOptions {
  db: Database;
  rooms: Rooms;
  hostId: string;
  /** How many are kept ready. */
  target: number;
  /** A further one is ready: somebody may wait for it. */
  onReady: () => void;
}

/** A taken room whose session was never told to us is given up after this. */
const orphanMs = 30_000;

interface WarmRoom {
  room: AgentRoom;
  since: number;
}

/**
 * Rooms that the agent is in already, for sessions that nobody has asked for yet: nothing in them belongs to an agent or
 * a tenant, what a person says in one is kept until its conversation is attached.
 */
export class WarmRooms {
  readonly #options: WarmRoomsOptions;
  readonly #ready = new Map<string, WarmRoom>();
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

  /** Opens up to `most` rooms that are missing; each joins by itself. */
  refill(most: number): void {
    const missing = this.#closed ? 0 : Math.min(most, this.#options.target - this.count);
    for (let i = 0; i < missing; i += 1) void this.#open();
  }

  /** The room of this name, which now belongs to a session. */
  take(name: string): AgentRoom | undefined {
    const warm = this.#ready.get(name);
    this.#ready.delete(name);
    return warm?.room;
  }

  /** Gives up rooms that the database does not know as ours any more and that no session came for. */
  async reconcile(): Promise<void> {
    const known = new Set((await listWarmRooms(this.#options.db, this.#options.hostId)).map((row) => row.room_name));
    for (const [name, { since }] of this.#ready) {
      if (!known.has(name) && performance.now() - since > orphanMs) await this.#discard(name);
    }
  }

  /** All of them, at once: this host stops, or was declared dead. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.discardAll();
  }

  async discardAll(): Promise<void> {
    await Promise.all([...this.#ready.keys()].map((name) => this.#discard(name)));
  }

  async #discard(name: string): Promise<void> {
    const { db, rooms } = this.#options;
    const wasOurs = await deleteWarmRoom(db, name).catch(() => false);
    const room = this.take(name);
    await room?.leave();
    // Taken by a session meanwhile: the room is that session's, whoever will serve it.
    if (wasOurs) await rooms.close(name).catch(() => undefined);
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
      this.#options.onReady();
    } catch {
      const room = this.take(name);
      await room?.leave();
      await rooms.close(name).catch(() => undefined);
    } finally {
      this.#opening -= 1;
    }
  }
}
