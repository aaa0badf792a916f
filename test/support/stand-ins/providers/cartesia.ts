/** Cartesia's `/tts/websocket` with contexts, and `/stt/turns/websocket`. */
import type { WebSocket } from 'ws';
import { isLoud, type Protocol, reset, type SpeechServer, soundOf, testKey } from './speech-server.ts';

export const cartesia: Protocol = {
  accepts: ({ headers }) => headers['x-api-key'] === testKey,
  socket: (socket, server, url) => (url.pathname.startsWith('/tts') ? speak(socket, server) : listen(socket, server)),
};

interface Generation {
  context_id: string;
  transcript: string;
  continue: boolean;
}

function speak(socket: WebSocket, server: SpeechServer): void {
  const texts = new Map<string, string>();
  socket.on('message', (data) => {
    const { context_id, transcript, continue: goesOn } = JSON.parse(String(data)) as Generation;
    texts.set(context_id, (texts.get(context_id) ?? '') + transcript);
    if (goesOn) return;
    const text = (texts.get(context_id) ?? '').trim();
    server.said.push(text);
    const sound = soundOf(text);
    const chunk = (part: Buffer) =>
      socket.send(
        JSON.stringify({
          type: 'chunk',
          data: part.toString('base64'),
          done: false,
          status_code: 206,
          step_time: 1,
          context_id,
        }),
      );
    chunk(sound.subarray(0, 4_800));
    if (server.fault === 'stall') return;
    if (server.fault === 'drop') return void setImmediate(() => reset(socket));
    chunk(sound.subarray(4_800));
    socket.send(JSON.stringify({ type: 'done', done: true, status_code: 200, context_id }));
  });
}

function listen(socket: WebSocket, server: SpeechServer): void {
  let silentBytes = 0;
  let speaking = false;
  const send = (type: string, transcript?: string) =>
    socket.send(JSON.stringify({ type, request_id: 'a-request', ...(transcript && { transcript }) }));
  send('connected');
  socket.on('message', (data, isBinary) => {
    if (!isBinary) return;
    if (isLoud(data as Buffer)) {
      silentBytes = 0;
      if (speaking) return;
      speaking = true;
      if (server.fault === 'drop') reset(socket);
      else if (server.fault !== 'stall') send('turn.start');
      return;
    }
    silentBytes += (data as Buffer).length;
    if (!speaking || silentBytes < 9_600 || server.fault !== undefined) return;
    speaking = false;
    send('turn.end', server.hears);
  });
}
