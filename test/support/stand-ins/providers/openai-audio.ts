/** OpenAI's `audio/speech` and `audio/transcriptions`, which compatible servers speak too. */
import { setTimeout as delay } from 'node:timers/promises';
import { isLoud, type Protocol, soundOf, testKey } from './speech-server.ts';

export const openaiAudio: Protocol = {
  accepts: ({ headers }) => headers.authorization === `Bearer ${testKey}`,
  async http(request, response, server) {
    const body = await bytesOf(request);
    if (request.url === '/v1/audio/speech') {
      const { input } = JSON.parse(body.toString('utf8')) as { input: string };
      server.said.push(input);
      const sound = soundOf(input);
      response.writeHead(200, { 'content-type': 'audio/pcm' });
      response.write(sound.subarray(0, 4_800));
      if (server.fault === 'stall') return;
      // What was written must reach the client first.
      if (server.fault === 'drop') return void delay(20).then(() => request.socket.resetAndDestroy());
      response.end(sound.subarray(4_800));
      return;
    }
    if (request.url !== '/v1/audio/transcriptions') return void response.writeHead(404).end();
    if (server.fault === 'stall') return;
    if (server.fault === 'drop') return void request.socket.resetAndDestroy();
    // The form holds a WAV file; its samples begin somewhere behind the word "data".
    const samples = body.subarray(body.indexOf('data', body.indexOf('WAVE')) + 8);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ text: isLoud(samples.subarray(0, samples.length & ~1)) ? server.hears : '' }));
  },
};

async function bytesOf(request: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}
