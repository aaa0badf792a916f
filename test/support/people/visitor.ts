import { AudioFrame, AudioSource, LocalAudioTrack, TrackPublishOptions, TrackSource } from '@livekit/rtc-node';
import type { Person } from './person.ts';

export type Flood = 'streams' | 'packets' | 'tracks';

/** A machine under this very attack may be late, and the visitor goes on. */
const mostLate = 5;

/** What a hostile visitor does with the token that anybody gets: each resolves when so many were sent, or the room took no more. */
export const floods: Record<Flood, (visitor: Person, count: number) => Promise<void>> = {
  /** Streams of text that never end. */
  streams: (visitor, count) =>
    untilRefused(visitor, count, async (me) => {
      const stream = await me.streamText({ topic: 'lk.chat' });
      await stream.write('and then');
    }),
  packets: (visitor, count) =>
    untilRefused(visitor, count, (me, i) =>
      me.publishData(new Uint8Array([i & 255]), { reliable: true, topic: 'any' }),
    ),
  tracks: (visitor, count) =>
    untilRefused(visitor, count, async (me, i) => {
      const source = new AudioSource(48_000, 1);
      const track = LocalAudioTrack.createAudioTrack(`track ${i}`, source);
      await me.publishTrack(track, new TrackPublishOptions({ source: TrackSource.SOURCE_MICROPHONE }));
      await source.captureFrame(new AudioFrame(new Int16Array(480), 48_000, 1, 480));
    }),
};

type Me = NonNullable<Person['room']['localParticipant']>;

async function untilRefused(visitor: Person, count: number, send: (me: Me, i: number) => Promise<unknown>) {
  let lateOnes = 0;
  for (let i = 0; i < count && visitor.disconnectedBecause === undefined; i += 1) {
    const me = visitor.room.localParticipant;
    if (!me) return;
    const late = new Promise<'late'>((resolve) => setTimeout(resolve, 5_000, 'late').unref());
    // Whoever was sent out in the middle of a call gets an error, or no answer.
    const sent = await Promise.race([send(me, i).then(() => 'sent'), late]).catch(() => 'refused');
    if (sent === 'refused' || (sent === 'late' && ++lateOnes === mostLate)) return;
  }
}
