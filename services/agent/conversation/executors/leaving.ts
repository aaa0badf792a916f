import type { EndReason } from '../../../contract/end-reasons.ts';
import type { Rooms } from '../../../core/rooms/rooms.ts';
import { bestEffort } from '../../../process/best-effort.ts';
import { sleep } from '../../../process/sleep.ts';
import { within } from '../../../process/within.ts';
import type { RoomConnection } from '../room-connection.ts';
import type { SessionRecord } from '../session-record.ts';
import type { RoomEffect } from '../state/effect.ts';
import type { Transcript } from '../transcript.ts';
import type { Model } from './model.ts';
import type { Speech } from './speech.ts';

export interface LeavingParts {
  /** Not another word. */
  fallSilent: () => void;
  /** Resolves when the turn that was under way is stored. */
  turnIsOver: () => Promise<void>;
  model: Model;
  speech: Speech;
  transcript: Transcript;
  record: SessionRecord;
  connection: RoomConnection;
  rooms: Rooms;
  /** False: it is another host's by now. */
  endSession: (reason: EndReason) => Promise<boolean>;
  /** The session is anybody's who takes it. */
  giveBack: () => Promise<void>;
  /** This host has nothing to do with the conversation any more. */
  onOver: () => void;
  warn: (text: string, fields: Record<string, unknown>) => void;
}

type How = Extract<RoomEffect, { kind: 'leave' }>['how'];

/** What was said last is still on its way through the room server when it was handed in; a room that is deleted at once cuts it (seen on a busy machine). */
const lastWordsTravelMs = 500;

/** More than the arrival of its last words is waited for (turns.ts). */
const turnOverWithinMs = 15_000;

/** How a host goes out of a conversation, once. */
export class Leaving {
  readonly #parts: LeavingParts;
  readonly #done = Promise.withResolvers<void>();

  constructor(parts: LeavingParts) {
    this.#parts = parts;
  }

  /** Resolves when the host is out of it. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  begin(how: How): void {
    const left = this.#leave(how).catch((error: unknown) => {
      this.#parts.warn('a conversation was not left in order', { err: error });
    });
    void left.finally(() => this.#done.resolve());
  }

  async #leave(how: How): Promise<void> {
    const { fallSilent, speech, model, onOver } = this.#parts;
    // What is being said is heard to its end while we end the session ourselves.
    const isOthers = typeof how === 'object' ? !(await this.#end(how.end)) : how !== 'session_ended';
    fallSilent();
    if (how === 'given_back') await this.#giveBack();
    speech.endSoon();
    onOver();
    await this.#turnIsOver();
    await model.close();
    await speech.close();
    await (isOthers ? this.#leaveToOthers() : this.#leaveForGood());
  }

  /** The session is ended by this host, if it is its own still. A database that is away leaves it to the reaper. */
  async #end(reason: EndReason): Promise<boolean> {
    const { transcript, endSession, warn } = this.#parts;
    await transcript.drained();
    return endSession(reason).catch((error: unknown) => {
      warn('a session could not be ended and is left to the reaper', { err: error });
      return true;
    });
  }

  /** A turn that was told to be silent is over in a moment; one that is not is left behind, since others wait for this host to leave. */
  async #turnIsOver(): Promise<void> {
    const { turnIsOver, warn } = this.#parts;
    await within(turnOverWithinMs, 'the turn', turnIsOver()).catch((error: unknown) => {
      warn('a turn did not end in time and is left behind', { err: error });
    });
  }

  /** After what was under way is stored: whoever takes it looks at once. */
  async #giveBack(): Promise<void> {
    const { transcript, giveBack } = this.#parts;
    await this.#turnIsOver();
    await transcript.drained();
    await giveBack();
  }

  /** What was said is handed in, then the room goes. */
  async #leaveForGood(): Promise<void> {
    const { transcript, connection, record, rooms } = this.#parts;
    await transcript.drained();
    await sleep(lastWordsTravelMs);
    // Out of the room before anybody deletes it, which the worker does once we are detached: a track that was published in a room
    // that is deleted keeps its thread for the rest of the process (rtc-node 0.13.35).
    await connection.leave();
    await record.detach();
    await bestEffort('the worker closes it too', rooms.close(connection.room.name));
  }

  /** Not another word, but what only we heard is stored for the successor. */
  async #leaveToOthers(): Promise<void> {
    const { transcript, connection } = this.#parts;
    if (await transcript.drained()) transcript.tellSuccessor();
    transcript.abandon();
    await connection.leave();
  }
}
