import { Counter, Registry } from '@prometheus-io/client';
import { expect, test } from 'vitest';
import { openInternalServer, type Readiness } from './internal-server.ts';

const anywhere = { port: 0, bind: '127.0.0.1' };

async function ask(port: number, path: string, init?: RequestInit) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { status: answer.status, text: await answer.text() };
}

test('a process is alive from the start, and ready when it says so', async () => {
  let readiness: Readiness = { status: 'starting' };
  const { port, close } = await openInternalServer({ registry: new Registry(), readiness: () => readiness }, anywhere);
  expect(await ask(port, '/livez')).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect(await ask(port, '/readyz')).toEqual({
    status: 503,
    text: '{"status":"starting","code":"unavailable","message":"This process is starting."}',
  });
  readiness = { status: 'ok', facts: { live: 2 } };
  expect(await ask(port, '/readyz?verbose')).toEqual({ status: 200, text: '{"status":"ok","live":2}' });
  close();
});

test('metrics are in the text format; what cannot be collected is a fault', async () => {
  const registry = new Registry();
  let isBroken = false;
  const collect = () => {
    if (isBroken) throw new Error('broken');
  };
  new Counter({ name: 'parley_test_total', help: 'A test', registers: [registry], collect }).inc(3);
  const { port, close } = await openInternalServer({ registry, readiness: () => ({ status: 'ok' }) }, anywhere);
  expect((await ask(port, '/metrics')).text).toContain('parley_test_total 3');
  isBroken = true;
  expect((await ask(port, '/metrics')).status).toBe(500);
  close();
});

test('other addresses are the process its own; without any there is nothing', async () => {
  const parts = { registry: new Registry(), readiness: () => ({ status: 'ok' }) };
  const bare = await openInternalServer(parts, anywhere);
  expect((await ask(bare.port, '/other')).status).toBe(404);
  expect((await ask(bare.port, '/metrics', { method: 'POST' })).status).toBe(404);
  const own = await openInternalServer({ ...parts, other: (_request, response) => void response.end('own') }, anywhere);
  expect((await ask(own.port, '/other')).text).toBe('own');
  const taken = openInternalServer(parts, { ...anywhere, port: own.port });
  await expect(taken).rejects.toThrow(`Cannot listen on 127.0.0.1:${own.port}: another program uses it`);
  bare.close();
  own.close();
});
