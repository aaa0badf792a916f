import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { findModelServer } from './model-server.ts';

const never = new AbortController().signal;
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(answer: string): Promise<{ server: string; baseUrl: string }[]> {
  server = createServer((req, res) => res.writeHead(req.url === '/v1/models' ? 200 : 404).end(answer));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const nobody = { server: 'Nobody', baseUrl: 'http://127.0.0.1:9/v1' };
  return [nobody, { server: 'Ollama', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }];
}

test('a model server that runs here is found, with a model that can talk', async () => {
  const servers = await serving('{"object":"list","data":[{"id":"nomic-embed-text"},{"id":"llama3.2:3b"}]}');
  expect(await findModelServer({}, never, servers)).toEqual({ ...servers[1], model: 'llama3.2:3b' });
});

test('whoever has a key, or has said what is to answer, is not asked', async () => {
  const servers = await serving('{"data":[{"id":"llama3.2:3b"}]}');
  expect(await findModelServer({ OPENAI_API_KEY: 'sk-1' }, never, servers)).toBeUndefined();
  expect(await findModelServer({ PARLEY_LOCAL_MODEL: 'off' }, never, servers)).toBeUndefined();
});

test.each(['<html>', '{"data":[]}', '[]', '{"data":[null,{"id":7}]}'])(
  'something else at the address is no model server: %s',
  async (answer) => {
    expect(await findModelServer({}, never, await serving(answer))).toBeUndefined();
  },
);
