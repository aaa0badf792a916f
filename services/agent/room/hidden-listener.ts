import { Room } from '@livekit/rtc-node';
import type { Rooms } from '../../core/rooms/rooms.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { connect } from './connect.ts';
import { FloodGuard } from './floods.ts';
import { hearTexts, type IncomingText } from './hearing.ts';

/**
 * Hears what is written in a room without being seen in it. A participant's identity is there once: a successor that
 * joins sends the agent out before it hears itself, and what is written between the two reaches whoever else is there.
 */
export class HiddenListener {
  readonly #room = new Room();

  private constructor() {}

  /** Resolves when it hears. */
  static async join(name: string, rooms: Rooms, onText: (text: IncomingText) => void): Promise<HiddenListener> {
    const listener = new HiddenListener();
    const floods = new FloodGuard(({ identity }) => {
      void bestEffort('the next of the flood asks for it again', rooms.remove(name, identity));
    });
    floods.watch(listener.#room);
    hearTexts(listener.#room, floods, onText);
    try {
      await connect(listener.#room, rooms.url, rooms.earToken(name));
    } catch (error) {
      await listener.leave();
      throw error;
    }
    return listener;
  }

  async leave(): Promise<void> {
    await bestEffort('the connection may be gone already', this.#room.disconnect());
  }
}
