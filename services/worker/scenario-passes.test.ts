import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { PassesFile } from '../contract/generated/passes.ts';
import { receivePasses } from './scenario-passes.ts';

const secret = 'of the pipeline';
const pass = { agent: 'desk', versionHash: 'a'.repeat(64), scenarioHash: 'b'.repeat(64), model: 'scripted' };

interface Choices {
  known?: string | undefined;
  signedWith?: string;
  broken?: boolean;
}

/** Sends a body; gives the answer, what was stored, and how often that was told. */
async function send(body: string, choices: Choices = {}) {
  const stored: PassesFile['passes'][] = [];
  let told = 0;
  const options = {
    secret: 'known' in choices ? choices.known : secret,
    store: async (passes: PassesFile['passes']) => {
      if (choices.broken) throw new Error('the database is away');
      stored.push(passes);
    },
    onStored: () => {
      told += 1;
    },
  };
  const server = createServer((request, response) => {
    void receivePasses(request, options).then(({ status, ...rest }) =>
      response.writeHead(status, { connection: 'close' }).end(JSON.stringify(rest)),
    );
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const hmac = createHmac('sha256', choices.signedWith ?? secret)
    .update(body)
    .digest('hex');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    method: 'POST',
    headers: { 'x-hub-signature-256': `sha256=${hmac}` },
    body,
  });
  return { status: answer.status, message: ((await answer.json()) as { message: string }).message, stored, told };
}

const textOf = (...passes: unknown[]) => JSON.stringify({ passes });

test('what is signed is stored, and the agents are judged again', async () => {
  expect(await send(textOf(pass))).toMatchObject({ status: 202, stored: [[pass]], told: 1 });
  expect(await send(textOf())).toMatchObject({ status: 202, stored: [[]] });
});

test.each<[string, string, Choices, number]>([
  ['another secret', textOf(pass), { signedWith: 'guessed' }, 401],
  ['no secret at the worker', textOf(pass), { known: undefined }, 404],
  ['no JSON', 'passes', {}, 400],
  ['no list', '{}', {}, 400],
  ['a hash that is none', textOf({ ...pass, versionHash: 'x' }), {}, 400],
  ['an agent that could be none', textOf({ ...pass, agent: '../etc' }), {}, 400],
  ['a field too many', textOf({ ...pass, tenant: 'other' }), {}, 400],
  ['more than there are agents', textOf(...Array.from({ length: 2_001 }, () => pass)), {}, 400],
  ['a body without end', textOf({ ...pass, model: 'm'.repeat(1024 * 1024) }), {}, 413],
  ['a database that is away', textOf(pass), { broken: true }, 503],
])('%s: nothing is stored, and it is told', async (_, body, choices, status) => {
  const answer = await send(body, choices);
  expect(answer).toMatchObject({ status, stored: [], told: 0 });
  expect(answer.message).toMatch(/\.$/);
});
