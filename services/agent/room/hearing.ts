import type { Room, TextStreamReader } from '@livekit/rtc-node';
import type { InteractionMode } from '../../contract/session.ts';
import { agentIdentity } from '../../core/rooms/rooms.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { within } from '../../process/within.ts';
import type { FloodGuard } from './floods.ts';

/** What a person wrote or said, whole. `key` names the utterance. */
export interface IncomingText {
  key: string;
  text: string;
  at: Date;
  mode: InteractionMode;
  /** Of what was said: milliseconds from the last sound to the decision that it was the last, and from there to the words. */
  hearing?: { endpointing: number; recognition: number };
}

const chatTopic = 'lk.chat';
/** Streams a person has open at once; more are ignored. */
const maxOpenStreams = 32;
const streamDeadlineMs = 10_000;
/** The highest limit an agent may set for a text (schemas/agent.schema.json); reading stops here, the agent's own limit cuts later. */
const maxTextLength = 32_000;

/**
 * Tells what persons write in a room, each text whole, in the order in which they were begun, however long each takes to arrive. What
 * is not read is closed: an open reader hears every event of every room of this process (rtc-node 0.13.35), so that 20 000 of them
 * ended a host.
 */
export function hearTexts(room: Room, floods: FloodGuard, onText: (text: IncomingText) => void): void {
  let last: Promise<void> = Promise.resolve();
  let openStreams = 0;
  room.registerTextStreamHandler(chatTopic, (reader, { identity }) => {
    if (identity === agentIdentity) return void reader.close();
    if (!floods.admit(identity, 'streams') || openStreams >= maxOpenStreams) return void reader.close();
    openStreams += 1;
    const at = new Date();
    const reading = readText(reader, () => floods.admit(identity, 'packets'));
    last = last
      .then(() => reading)
      .then((text) => {
        openStreams -= 1;
        if (text?.trim()) onText({ key: reader.info.streamId, text, at, mode: 'TEXT' });
      });
  });
}

/** The text up to the limit; undefined when its sender went away or fell silent in the middle. */
async function readText(reader: TextStreamReader, admit: () => boolean): Promise<string | undefined> {
  const read = within(streamDeadlineMs, 'a text', readUpTo(reader, maxTextLength, admit));
  const text = await bestEffort('whoever breaks a text off sends it again, or not', read);
  await reader.close();
  return text;
}

async function readUpTo(reader: TextStreamReader, maxLength: number, admit: () => boolean): Promise<string> {
  let text = '';
  for await (const chunk of reader) {
    if (!admit()) return '';
    text += chunk;
    if (text.length >= maxLength) break;
  }
  return text.slice(0, maxLength);
}
