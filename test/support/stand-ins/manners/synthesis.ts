import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { goSilent, reset, soundOf } from '../providers/speech-server.ts';
import type { Manner } from './deck.ts';

/** How a sentence is said; what is cut is asked for again. */
export interface SynthesisManner extends Manner {
  say(socket: WebSocket, sound: Buffer): void | Promise<void>;
}

const flushed = (socket: WebSocket) => {
  if (socket.readyState === 1) socket.send(JSON.stringify({ type: 'Flushed', sequence_id: 0 }));
};
const note = (socket: WebSocket, message: object) => socket.send(JSON.stringify(message));

/** How Deepgram's `/v1/speak` says a sentence. */
export const synthesisManners: readonly [SynthesisManner, ...SynthesisManner[]] = [
  {
    name: 'as documented',
    source: 'https://developers.deepgram.com/docs/tts-ws-flush',
    say: (socket, sound) => {
      socket.send(sound);
      flushed(socket);
    },
  },
  {
    name: 'sound in pieces that cut samples in two',
    source: 'https://developers.deepgram.com/docs/tts-websocket (binary messages of any length)',
    say: (socket, sound) => {
      for (let at = 0; at < sound.length; at += 1_001) socket.send(sound.subarray(at, at + 1_001));
      flushed(socket);
    },
  },
  {
    name: 'a slow first sound',
    source: 'https://developers.deepgram.com/docs/text-to-speech-latency',
    say: async (socket, sound) => {
      await delay(500);
      socket.send(sound);
      flushed(socket);
    },
  },
  {
    name: 'metadata and warnings between the sounds',
    source: 'https://developers.deepgram.com/docs/tts-websocket',
    say: (socket, sound) => {
      note(socket, { type: 'Metadata', request_id: 'a-request', model_name: 'aura-2' });
      socket.send(sound.subarray(0, 4_000));
      note(socket, { type: 'Warning', description: 'Text is buffered.', code: 'TEXT_BUFFERED' });
      socket.send(sound.subarray(4_000));
      flushed(socket);
    },
  },
  {
    name: 'a connection that is reset in the middle',
    source: 'https://github.com/deepgram/deepgram-js-sdk/issues/337',
    say: (socket, sound) => {
      socket.send(sound.subarray(0, 4_000));
      setImmediate(() => reset(socket));
    },
  },
  {
    name: 'half-open',
    source: 'https://github.com/livekit/agents/issues/5718, https://github.com/pipecat-ai/pipecat/issues/5305',
    say: (socket) => goSilent(socket),
  },
];

/** What a connection does with what it is to say: `next` says how each sentence is said. */
export function speak(socket: WebSocket, next: () => SynthesisManner): void {
  let text = '';
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { type: string; text?: string };
    if (message.type === 'Speak') text += message.text;
    if (message.type === 'Close') return socket.close();
    if (message.type !== 'Flush' || text === '') return;
    const sound = soundOf(text);
    text = '';
    void next().say(socket, sound);
  });
}
