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

/** Ollama by its own interface beside OpenAI's: what it lists, and what it says that each can do. */
async function ollama(models: Record<string, string[] | undefined>): Promise<{ server: string; baseUrl: string }[]> {
  const names = Object.keys(models);
  const list = names.length === 0 ? null : names.map((id) => ({ id, object: 'model', owned_by: 'library' }));
  server = createServer(async (req, res) => {
    const json = (body: unknown) => res.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (req.url === '/v1/models') return json({ object: 'list', data: list });
    if (req.url !== '/api/show' || req.method !== 'POST') return res.writeHead(404).end('404 page not found');
    let text = '';
    for await (const chunk of req) text += chunk;
    const { model } = JSON.parse(text) as { model: string };
    return json({ details: {}, ...(models[model] && { capabilities: models[model] }) });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return [{ server: 'Ollama', baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }];
}

async function search(servers: { server: string; baseUrl: string }[]) {
  const said: string[] = [];
  return { found: (await findModelServer({}, never, servers, (line) => said.push(line)))?.model, said };
}

test('a model is taken that can talk and call tools, as Ollama says what each can do', async () => {
  const models = {
    'bge-m3': ['embedding'],
    'mxbai:1': ['embedding'],
    'gemma:2b': ['completion'],
    'qwen3:4b': ['completion', 'tools'],
  };
  expect(await search(await ollama(models))).toEqual({ found: 'qwen3:4b', said: [] });
  server?.close();
  expect(await search(await ollama({ 'all-minilm': undefined, 'llama3.2': undefined }))).toEqual({
    found: 'llama3.2',
    said: [],
  });
});

test.each([
  ['no model', {}, /^Ollama runs here and has no model \(http:.*ollama pull/],
  [
    'embeddings only',
    { 'mxbai:1': ['embedding'], 'bge-m3': ['embedding'] },
    /hold a conversation \(mxbai:1, bge-m3\).*ollama pull/,
  ],
  ['none that calls tools', { 'gemma:2b': ['completion'] }, /no model that can call tools \(gemma:2b\).*ollama pull/],
])('a server that cannot be used is told with what to do: %s', async (_what, models, says) => {
  const { found, said } = await search(await ollama(models));
  expect(found).toBeUndefined();
  expect(said).toEqual([expect.stringMatching(says)]);
});

test('a server that hangs holds nobody up, and is told', async () => {
  server = createServer(() => undefined);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const { found, said } = await search([{ server: 'Ollama', baseUrl }]);
  expect([found, said]).toEqual([undefined, [expect.stringMatching(/^Ollama is there and does not answer/)]]);
});

test('whoever else listens there is not taken for a model server, and nothing is said', async () => {
  expect(await search(await serving('<html>'))).toEqual({ found: undefined, said: [] });
  expect(await search([{ server: 'Nobody', baseUrl: 'http://127.0.0.1:9/v1' }])).toEqual({
    found: undefined,
    said: [],
  });
});
