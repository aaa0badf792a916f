/**
 * Recognition, model and synthesis by OpenAI's protocol, each with a fixed delay, in a process of its own: our host and the
 * stock worker ask it over a socket as they would ask the provider, so nothing of either is replaced.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { serve } from '../remote.ts';
import { delays, shortMs, soundMsOf } from './delays.ts';
import { loudMsOf, tone } from './tone.ts';

type Answer = (body: Buffer, response: ServerResponse) => Promise<void>;

let reply = '';
/** `heardMs`: the most that was loud in what was to be recognised at once. */
const nothing = { recognitions: 0, completions: 0, sentences: 0, heardMs: 0 };
let asked = { ...nothing };

async function listen(options: { reply: string }): Promise<{ baseUrl: string }> {
  reply = options.reply;
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const answers: Readonly<Record<string, Answer>> = {
  '/v1/audio/transcriptions': async (body, response) => {
    asked.recognitions += 1;
    const wav = body.subarray(body.indexOf('RIFF'));
    const loudMs = loudMsOf(wav);
    asked.heardMs = Math.max(asked.heardMs, loudMs);
    const text = loudMs < shortMs ? 'mm-hm' : `these are the words number ${asked.recognitions}`;
    await delay(delays.recognitionMs);
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));
  },
  '/v1/audio/speech': async (body, response) => {
    asked.sentences += 1;
    const { input } = JSON.parse(body.toString()) as { input: string };
    await delay(delays.synthesisMs);
    response.setHeader('content-type', 'audio/pcm').end(soundOf(input));
  },
  '/v1/chat/completions': async (_body, response) => {
    asked.completions += 1;
    await delay(delays.modelMs);
    response.setHeader('content-type', 'text/event-stream');
    for (const word of reply.split(/(?<= )/u)) response.write(event({ delta: { content: word } }));
    response.write(event({ delta: {}, finish_reason: 'stop' }));
    response.end('data: [DONE]\n\n');
  },
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const known = answers[request.url ?? ''];
  if (known) await known(Buffer.concat(chunks), response);
  else response.writeHead(404).end();
}

function event(choice: { delta: object; finish_reason?: string }): string {
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 0, model: 'fixed-delay' };
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`;
}

/** Making a tone takes time that no provider's delay stands for. */
const sounds = new Map<string, Buffer>();
function soundOf(text: string): Buffer {
  const known = sounds.get(text) ?? tone(soundMsOf(text));
  sounds.set(text, known);
  return known;
}

/** What was asked for since the last call. */
async function takeCounts(): Promise<typeof asked> {
  const counts = asked;
  asked = { ...nothing };
  return counts;
}

export const commands = { listen, takeCounts };

serve(commands);
