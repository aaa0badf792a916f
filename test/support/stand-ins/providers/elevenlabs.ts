/** ElevenLabs' `multi-stream-input` with contexts, and its realtime `speech-to-text`. */
import type { WebSocket } from 'ws';
import { isLoud, type Protocol, reset, type SpeechServer, soundOf, testKey } from './speech-server.ts';

export const elevenlabs: Protocol = {
  accepts: ({ headers }) => headers['xi-api-key'] === testKey,
  socket: (socket, server, url) =>
    url.pathname.includes('speech-to-text') ? listen(socket, server) : speak(socket, server, url),
};

/** It plays what the connection asked for, such as `pcm_22050`. */
const rateOf = (url: URL): number => Number(url.searchParams.get('output_format')?.split('_')[1] ?? 22_050);

function speak(socket: WebSocket, server: SpeechServer, url: URL): void {
  const texts = new Map<string, string>();
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { context_id: string; text?: string; close_context?: boolean };
    const { context_id: contextId, text, close_context: closes } = message;
    texts.set(contextId, (texts.get(contextId) ?? '') + (text ?? ''));
    if (!closes) return;
    const whole = (texts.get(contextId) ?? '').trim();
    texts.delete(contextId);
    if (whole === '') return;
    server.said.push(whole);
    const sound = soundOf(whole, rateOf(url));
    socket.send(JSON.stringify({ audio: sound.subarray(0, 4_410).toString('base64'), contextId }));
    if (server.fault === 'stall') return;
    if (server.fault === 'drop') return void setImmediate(() => reset(socket));
    socket.send(JSON.stringify({ audio: sound.subarray(4_410).toString('base64'), contextId }));
    socket.send(JSON.stringify({ isFinal: true, contextId }));
  });
}

function listen(socket: WebSocket, server: SpeechServer): void {
  let heard = false;
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ message_type: 'session_started', session_id: 'a-session' });
  socket.on('message', (data) => {
    const { audio_base_64: audio, commit } = JSON.parse(String(data)) as { audio_base_64: string; commit: boolean };
    if (isLoud(Buffer.from(audio, 'base64')) && !heard) {
      heard = true;
      if (server.fault === 'drop') reset(socket);
      else if (server.fault !== 'stall') send({ message_type: 'partial_transcript', text: server.hears.split(' ')[0] });
    }
    if (!commit || !heard || server.fault !== undefined) return;
    heard = false;
    send({ message_type: 'committed_transcript', text: server.hears });
  });
}
