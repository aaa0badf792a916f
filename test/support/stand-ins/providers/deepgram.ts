/** Deepgram's `/v1/listen` and `/v1/speak`, over WebSockets as its own client library uses them. */
import type { WebSocket } from 'ws';
import { isLoud, type Protocol, reset, type SpeechServer, soundOf, testKey } from './speech-server.ts';

export const deepgram: Protocol = {
  accepts: ({ headers }) => headers.authorization === `Token ${testKey}`,
  socket: (socket, server, url) => (url.pathname === '/v1/speak' ? speak(socket, server) : listen(socket, server)),
};

function speak(socket: WebSocket, server: SpeechServer): void {
  let text = '';
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { type: string; text?: string };
    if (message.type === 'Speak') text += message.text;
    if (message.type === 'Close') return socket.close();
    if (message.type !== 'Flush' || text === '') return;
    server.said.push(text.trim());
    const sound = soundOf(text);
    text = '';
    socket.send(sound.subarray(0, 4_000));
    if (server.fault === 'stall') return;
    if (server.fault === 'drop') return void setImmediate(() => reset(socket));
    socket.send(sound.subarray(4_000));
    socket.send(JSON.stringify({ type: 'Flushed', sequence_id: 0 }));
  });
}

function listen(socket: WebSocket, server: SpeechServer): void {
  let heard = false;
  const results = (transcript: string) =>
    socket.send(
      JSON.stringify({
        type: 'Results',
        channel_index: [0, 1],
        duration: 1,
        start: 0,
        is_final: true,
        speech_final: true,
        metadata: { request_id: 'a-request' },
        channel: { alternatives: [{ transcript, confidence: 0.98, words: [] }] },
      }),
    );
  socket.on('message', (data, isBinary) => {
    if (isBinary) {
      if (!isLoud(data as Buffer) || heard) return;
      heard = true;
      if (server.fault === 'drop') reset(socket);
      else if (server.fault !== 'stall') socket.send(JSON.stringify({ type: 'SpeechStarted' }));
      return;
    }
    const { type } = JSON.parse(String(data)) as { type: string };
    if (type === 'Finalize' && heard && server.fault === undefined) {
      heard = false;
      results(server.hears);
    }
    if (type === 'CloseStream') socket.close();
  });
}
