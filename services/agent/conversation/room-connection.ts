import type { Rooms } from '../../core/rooms/rooms.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import { AgentRoom } from '../room/agent-room.ts';
import type { IncomingText } from '../room/hearing.ts';
import { HiddenListener } from '../room/hidden-listener.ts';
import type { LifeFact, RoomFact, Standing } from './state/fact.ts';

export interface RoomConnectionParts {
  rooms: Rooms;
  /** This host has nothing to do with the conversation any more. */
  isOver(): boolean;
  /** It is not being given to another host either, which a new connection of ours would send out of the room. */
  isOpen(): boolean;
  onText(text: IncomingText): void;
  /** Whose the session is now. */
  standing(): Promise<Standing>;
  /** Whether another host could take the session. */
  othersAreThere(): Promise<boolean>;
  post(fact: RoomFact | LifeFact): void;
  /** The agent is in the room by another connection. */
  onMoved(room: AgentRoom): void;
  warn(text: string, fields: Record<string, unknown>): void;
  pace: Pace;
}

/** How the time goes by, in milliseconds. */
export interface Pace {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export const realPace: Pace = { now: () => performance.now(), sleep };

/** Other hosts may reach the room: after so long without it the session is given to whoever can. */
const givenBackAfterMs = 5_000;
/** The same where there is no other host. */
const rejoinWithinMs = 60_000;
const rejoinEveryMs = 500;
/** What was written before a new connection heard is still on its way to the listener; as long as in a hand-over (agent-host.ts). */
const lastTextsTravelMs = 2_500;

/** The agent's connection to the room of one conversation, and what becomes of it when it breaks. */
export class RoomConnection {
  readonly #parts: RoomConnectionParts;
  #room: AgentRoom;
  #listener: HiddenListener | undefined;
  #renewing: Promise<AgentRoom | undefined> | undefined;
  #isRetaking = false;

  constructor(room: AgentRoom, parts: RoomConnectionParts) {
    this.#room = room;
    this.#parts = parts;
  }

  /** The connection that holds it now. */
  get room(): AgentRoom {
    return this.#room;
  }

  /**
   * From when it resolves until `leave`, what is written is heard also when a successor has taken the place. Without it that would be
   * lost, so it is tried, seconds each time, until it works or `isInHaste`; what is handed over goes on talking meanwhile.
   */
  async keepListening(isInHaste: () => boolean): Promise<void> {
    const { isOver, warn, pace } = this.#parts;
    while (!this.#listener && !isOver() && !isInHaste()) {
      try {
        this.#listener = await this.#openListener();
      } catch (error) {
        warn('nobody would hear while the session is handed over: it is tried again', { err: error });
        await pace.sleep(rejoinEveryMs);
      }
    }
    if (isOver()) await this.#listener?.leave();
  }

  /**
   * The connection is over: the session has ended, or is another host's, or the room is made and joined again. As long as nobody knows
   * whose it is nothing is joined: a host that came back to life would send its successor out of the room.
   */
  async retake(): Promise<void> {
    if (this.#renewing || this.#isRetaking) return;
    this.#isRetaking = true;
    await this.#retake().finally(() => {
      this.#isRetaking = false;
    });
  }

  /**
   * A connection that says it is there but takes no words is of no use: another takes its place, and what was not heard is said
   * again there. What is written meanwhile is heard, first by the old connection, then by a hidden listener. While the conversation is given
   * away nothing is done: the successor says it.
   */
  async renew(error: unknown): Promise<void> {
    const { isOpen, warn, pace } = this.#parts;
    if (this.#renewing || !isOpen()) return;
    warn('the room took no words, and is joined anew', { err: error });
    const old = this.#room;
    old.distrust();
    const listener = bestEffort('what is written in between is lost, as when this host had died', this.#openListener());
    this.#renewing = listener.then(() => this.#replace(old));
    const room = await this.#renewing;
    this.#renewing = undefined;
    await (room ? this.#moveTo(room) : this.retake());
    await pace.sleep(lastTextsTravelMs);
    await (await listener)?.leave();
  }

  /** Resolves when no connection is on its way into the room by `renew`. */
  async settled(): Promise<void> {
    await this.#renewing;
  }

  /** The agent is out; the room stays. */
  async leave(): Promise<void> {
    await this.#listener?.leave();
    await this.#room.leave();
  }

  async #retake(): Promise<void> {
    const { isOpen, standing, post, pace } = this.#parts;
    const since = pace.now();
    let whose: Standing = 'unknown';
    // What nobody knows to be ours is given to nobody.
    while (isOpen() && !(whose === 'ours' && (await this.#isGivenUp(pace.now() - since)))) {
      whose = await standing();
      if (whose === 'ended') return post({ kind: 'session_ended' });
      if (whose === 'others') return post({ kind: 'taken_over' });
      const room = whose === 'ours' ? await this.#join(this.#room.name) : undefined;
      if (room) return this.#moveTo(room);
      await pace.sleep(rejoinEveryMs);
    }
    if (isOpen()) post({ kind: 'room_unreachable' });
  }

  async #isGivenUp(triedMs: number): Promise<boolean> {
    if (triedMs < givenBackAfterMs) return false;
    return triedMs >= rejoinWithinMs || this.#parts.othersAreThere();
  }

  #join(name: string): Promise<AgentRoom | undefined> {
    const join = AgentRoom.join(name, this.#parts.rooms, { takesPlace: true });
    return bestEffort('the room may not be made again yet', join);
  }

  /** Another connection in the place of `old`; undefined when the room cannot be joined. */
  async #replace(old: AgentRoom): Promise<AgentRoom | undefined> {
    if (this.#parts.isOver()) return undefined;
    old.detach();
    const room = await this.#join(old.name);
    void old.leave();
    return room;
  }

  #openListener(): Promise<HiddenListener> {
    const { rooms, onText } = this.#parts;
    return HiddenListener.join(this.#room.name, rooms, onText);
  }

  async #moveTo(room: AgentRoom): Promise<void> {
    // It may be gone again already, which is told as soon as somebody listens.
    this.#isRetaking = false;
    if (!this.#parts.isOpen()) return room.leave();
    this.#room = room;
    this.#parts.onMoved(room);
    this.#parts.post({ kind: 'room_back' });
  }
}
