import '../../../services/agent/room/quiet-native-layer.ts';
import { Room, RoomEvent } from '@livekit/rtc-node';
import { eventually, patienceMs } from '../eventually.ts';

export interface HeardReply {
  text: string;
  chunks: number;
  /** When each chunk came; monotonic milliseconds, as the other times. */
  chunksAt: number[];
  /** Names it: what is said again under the same name takes its place on a screen. */
  segment: string;
  /** It tells that the agent is at it, and answers nothing. */
  isFiller: boolean;
  /** Of the participant that said it; each host that joins is another. */
  speaker: string | undefined;
  /** When the stream began, its first chunk came and it ended. */
  beganAt: number;
  firstChunkAt: number;
  endedAt: number | undefined;
}

/** A person in a room, by the room server's own client: writes, and reads what the agent says. */
export class Person implements AsyncDisposable {
  readonly room = new Room();
  readonly replies: HeardReply[] = [];
  disconnectedBecause: number | undefined;

  static async join(connection: { wsUrl: string; token: string }): Promise<Person> {
    const person = new Person();
    person.#listen();
    await person.room.connect(connection.wsUrl, connection.token, { autoSubscribe: true, dynacast: false });
    return person;
  }

  async write(text: string): Promise<void> {
    await this.room.localParticipant?.sendText(text, { topic: 'lk.chat' });
  }

  /** What a screen shows of the agent's finished replies, in the order they began: each once, as it was said last (docs/call/room.md). */
  texts(): string[] {
    const finished = this.replies.filter((reply) => reply.endedAt !== undefined);
    return [...new Map(finished.map(({ segment, text }) => [segment, text])).values()];
  }

  /** The first finished reply that matches, among those from index `from` on. */
  hears(
    pattern: RegExp,
    { from = 0, withinMs = patienceMs }: { from?: number; withinMs?: number } = {},
  ): Promise<HeardReply> {
    return eventually(
      `the agent says ${pattern}; it said ${JSON.stringify(this.texts())}`,
      () => this.replies.slice(from).find((reply) => reply.endedAt !== undefined && pattern.test(reply.text)),
      { withinMs, everyMs: 5 },
    ).catch((error: Error) => {
      throw new Error(
        `${error.message}; at the end it had said ${JSON.stringify(this.replies.map((reply) => reply.text))}`,
      );
    });
  }

  /** Writes and waits for the next finished reply. */
  async ask(text: string, pattern = /./): Promise<HeardReply> {
    const from = this.replies.length;
    await this.write(text);
    return this.hears(pattern, { from });
  }

  async leave(): Promise<void> {
    await this.room.disconnect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave().catch(() => undefined);
  }

  #listen(): void {
    this.room.on(RoomEvent.Disconnected, (reason) => {
      this.disconnectedBecause = reason;
    });
    this.room.registerTextStreamHandler('lk.transcription', async (reader, { identity }) => {
      const reply: HeardReply = {
        text: '',
        segment: reader.info.attributes?.['lk.segment_id'] ?? reader.info.streamId,
        chunks: 0,
        chunksAt: [],
        isFiller: reader.info.attributes?.['parley.line'] === 'filler',
        speaker: this.room.remoteParticipants.get(identity)?.sid,
        beganAt: performance.now(),
        firstChunkAt: 0,
        endedAt: undefined,
      };
      this.replies.push(reply);
      try {
        for await (const chunk of reader) {
          reply.firstChunkAt ||= performance.now();
          reply.text += chunk;
          reply.chunks += 1;
          reply.chunksAt.push(performance.now());
        }
        reply.endedAt = performance.now();
      } catch {
        // Its speaker died in the middle: the reply stays unfinished.
      }
    });
  }
}
