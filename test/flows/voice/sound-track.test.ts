import { readdir, readFile } from 'node:fs/promises';
import { Room } from '@livekit/rtc-node';
import { expect, test } from 'vitest';
import { connect } from '../../../services/agent/room/connect.ts';
import { SoundTrack } from '../../../services/agent/room/sound-track.ts';
import { openRooms } from '../../../services/core/rooms/rooms.ts';
import { eventually } from '../../support/eventually.ts';
import { startRoomServer } from '../../support/rooms/room-server.ts';

const calls = 10;

/** Threads of the native layer that send the sound of a track; the system keeps 15 letters of their name. */
async function sendingThreads(): Promise<number> {
  const tasks = await readdir('/proc/self/task');
  const names = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/comm`, 'utf8').catch(() => '')),
  );
  return names.filter((name) => name.trim() === 'AudioSourceCapt').length;
}

test('a track that is closed in the middle of its sound is gone, and its thread with it', async ({ skip }) => {
  skip(process.platform !== 'linux', 'there is no /proc here');
  await using server = await startRoomServer();
  const rooms = openRooms({ ...server, publicUrl: server.url });
  const sound = new Int16Array(24_000 * 0.3).fill(1_000);
  for (let call = 0; call < calls; call += 1) {
    await rooms.create(`r_${call}`);
    const room = new Room();
    await connect(room, server.url, rooms.agentToken(`r_${call}`));
    const track = await SoundTrack.publish(room, { name: 'agent', rate: 24_000, queueMs: 200 });
    expect(await sendingThreads()).toBeGreaterThan(0);
    track.play(sound).catch(() => undefined);
    await room.disconnect();
    await track.close();
  }
  await eventually('no thread is left', async () => (await sendingThreads()) === 0);
});
