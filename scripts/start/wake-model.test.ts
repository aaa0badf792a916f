import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { wakeModel } from './wake-model.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Answers the questions one after the other; the last one stands for all that follow. */
async function waking(...answers: ((res: ServerResponse) => void)[]): Promise<string[]> {
  let asked = 0;
  server = createServer((req, res) => {
    req.resume();
    answers[Math.min(asked++, answers.length - 1)]?.(res);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const signal = new AbortController().signal;
  await wakeModel({ server: 'llama.cpp', baseUrl, model: 'qwen3' }, { signal, say, toldAfterMs: 0, againAfterMs: 1 });
  return said;
}

/** As llama-server answers while it loads. */
const loading = (res: ServerResponse) =>
  res.writeHead(503).end('{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}');

test('a model that is loaded first is waited for, and both are told', async () => {
  const late = (res: ServerResponse) => setTimeout(() => res.end('{"choices":[]}'), 20);
  expect(await waking(loading, loading, late)).toEqual([
    expect.stringMatching(/^llama\.cpp is loading qwen3; until it is ready/),
    'qwen3 is ready.',
  ]);
});

test('one that cannot be loaded is told with what the server says', async () => {
  const refuses = (res: ServerResponse) => res.writeHead(500).end('{"error":{"message":"model requires more memory"}}');
  const said = await waking(refuses);
  expect(said.at(-1)).toMatch(/^llama\.cpp does not answer with qwen3 \(500 .*requires more memory/);
});
