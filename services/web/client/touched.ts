import type { Room } from 'livekit-client';

/** Whether the person has pressed or typed anything in this page; a browser that does not tell is taken to play what it is given. */
export const touched = (): boolean => navigator.userActivation?.hasBeenActive ?? true;

/** What the client's room keeps to itself (livekit-client 2.23.0, `Room.ts`): called by each `connect`, and by `startAudio`. */
interface SoundOfRoom {
  acquireAudioContext(forConnect?: boolean): Promise<void>;
}

/**
 * Has the room make no AudioContext before the person has touched the page: the client makes one with each connection, also of a written
 * conversation, and after a reload Chromium complains of that in the console of the customer's page. `startAudio` makes it, within a press.
 */
export function silentUntilTouched(room: Room): void {
  const sound = room as unknown as SoundOfRoom;
  const acquire = sound.acquireAudioContext.bind(room);
  sound.acquireAudioContext = async (forConnect) => (touched() ? acquire(forConnect) : undefined);
}
