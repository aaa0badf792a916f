import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { regenerateSecret } from '../../../services/core/credentials/credentials.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import type { Customer } from '../../support/people/customer.ts';
import { Person } from '../../support/people/person.ts';
import { obey, order } from '../../support/stand-ins/obedient-model.ts';
import { type OpenAIServer, startOpenAIServer } from '../../support/stand-ins/openai-server.ts';
import { type EndpointRequest, startToolEndpoint, type ToolEndpoint } from '../../support/stand-ins/tool-endpoint.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const httpTool = (name: string, method: string) => `
name: ${name}
description: Does something at the shop.
parameters:
  type: object
  properties: { label: { type: string } }
timeout: 2s
http: { method: ${method}, url: { env: TEST_SHOP_URL, path: "/${name}" } }
`;

const megabyte = Buffer.alloc(1_000_000, 'x');
const mostMegabytes = 100;
let sentMegabytes = 0;

/** Writes as long as anybody takes it. */
async function flood(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain' });
  while (sentMegabytes < mostMegabytes && !response.destroyed) {
    sentMegabytes += 1;
    const isTaken = response.write(megabyte);
    if (!isTaken) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

const answers: Record<string, (response: ServerResponse) => void> = {
  works: (response) => response.end('{"reference":"R1"}'),
  stalls: () => undefined,
  begins: (response) => void response.writeHead(200).write('{"reference":'),
  fails: (response) => response.writeHead(500).end('at Object.<anonymous> (/srv/SECRET-STACK.js:1)'),
  floods: (response) => void flood(response),
  redirects: (response) => response.writeHead(307, { location: '/works' }).end(),
  redirects_inside: (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  garbage: (response) => response.writeHead(200).end(Buffer.from([0, 0xff, 0xfe, 0xd8, 0x80, 0])),
  no_http: (response) => response.socket?.end('I speak no HTTP\r\n\r\n'),
  refuses: (response) => response.writeHead(409).end('{"message":"REFUSAL-MARKER is taken."}'),
};

let world: World;
let model: OpenAIServer;
let shop: ToolEndpoint;
let seller: Customer;
let session: { sessionId: string; person: Person };

beforeAll(async () => {
  model = await startOpenAIServer();
  model.reply(obey);
  shop = await startToolEndpoint((response, { target }) => answers[target.slice(1)]?.(response));
  world = await startWorld({ workers: 0, env: { TEST_SHOP_URL: shop.url } });
  for (const name of Object.keys(answers))
    await writeFile(join(world.agentsFolder, 'tools', `${name}.yaml`), httpTool(name, 'POST'));
  await addAgents(world, {
    seller: { model: openaiModel(model.baseUrl), script: undefined, tools: Object.keys(answers) },
  });
  seller = await world.customer('seller');
  const { sessionId, ...connection } = await seller.createSession();
  session = { sessionId, person: await Person.join(connection) };
  await session.person.hears(/^Welcome/);
});

afterAll(async () => {
  await session?.person.leave();
  await world?.[Symbol.asyncDispose]();
  await Promise.all([model?.[Symbol.asyncDispose](), shop?.[Symbol.asyncDispose]()]);
});

const toldByTool = () => JSON.stringify(model.requests.at(-1)?.body.messages.findLast(({ role }) => role === 'tool'));

describe('the conversation goes on, and the model is told in a sentence, when the endpoint', () => {
  const unknown = 'Whether it had an effect is not known\\.';
  test.for([
    ['stalls', `stalls did not answer within 2 seconds.*${unknown}`],
    ['begins', `begins did not answer within 2 seconds.*${unknown}`],
    ['fails', `The service behind fails is failing right now \\(status 500\\)\\. ${unknown}`],
    ['floods', 'The answer was longer and was cut here\\.'],
    ['redirects', 'not set up rightly, so redirects did not run'],
    ['redirects_inside', 'not set up rightly, so redirects_inside did not run'],
    ['garbage', `answered with something that cannot be read\\. ${unknown}`],
    ['no_http', `The service behind no_http could not be reached\\. ${unknown}`],
    ['refuses', 'The service refused refuses \\(status 409\\): REFUSAL-MARKER is taken\\.'],
  ] as [string, string][])('%s', async ([name, told]) => {
    const { person } = session;
    const before = shop.requests.length;
    await person.ask(order({ name, arguments: { label: 'ARGUMENT-MARKER' } }), /^\[/);
    expect(toldByTool()).toMatch(new RegExp(told));
    expect(toldByTool()).not.toContain('SECRET-STACK');
    expect(toldByTool()?.length).toBeLessThan(70_000);
    expect(shop.requests.slice(before).map(({ target }) => target)).toEqual([`/${name}`]);
    await person.ask('Still there?', /^You said: Still there\?$/);
    await person.ask(order({ name: 'works', arguments: {} }), /^\[\{"reference":"R1"\}\]$/);
  });

  test('of an answer without end little more is taken than the tool may answer', () => {
    expect(sentMegabytes).toBeGreaterThan(0);
    expect(sentMegabytes).toBeLessThan(mostMegabytes / 2);
  });

  test('arguments, answers and refusals are in no log', () => {
    const output = world.output();
    expect(output).toContain('a tool failed');
    for (const marker of ['ARGUMENT-MARKER', 'REFUSAL-MARKER', 'SECRET-STACK', '"reference"'])
      expect(output).not.toContain(marker);
  });
});

describe('a signature', () => {
  type Verify = (request: Record<string, unknown>, secret: string) => boolean;
  let isFromParley: Verify;

  beforeAll(async () => {
    // What docs/write-agents/tools.md shows to those who write endpoints, as it stands there.
    const page = await readFile(new URL('../../../docs/write-agents/tools.md', import.meta.url), 'utf8');
    const code = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { isFromParley: Verify };
    isFromParley = module.isFromParley;
  });

  const isSignedWith = (secret: string, { method, target, headers, body }: EndpointRequest): boolean =>
    isFromParley({ method, url: target, headers, body }, secret);

  async function callOnce(): Promise<EndpointRequest> {
    const { person } = session;
    await person.ask(order({ name: 'works', arguments: { label: `call ${shop.requests.length}` } }), /^\[/);
    return shop.requests.at(-1) as EndpointRequest;
  }

  async function regenerate(graceMs: number): Promise<string> {
    const db = openDatabase(world.serviceUrl);
    const deps = {
      db,
      vault: makeVault(world.env.PARLEY_MASTER_KEYS ?? ''),
      notifier: { tell: () => undefined },
    };
    const owner = { tenant: world.tenant, agent: 'seller' };
    return regenerateSecret(deps, owner, graceMs).finally(() => db.close());
  }

  test("of a tool's request is made with the agent's secret; after a regeneration with both, or with the new one alone", async () => {
    const { apiSecret: first } = await world.credentials('seller');
    expect(isSignedWith(first, await callOnce())).toBe(true);
    const second = await regenerate(3_600_000);
    const inGrace = await callOnce();
    expect(isSignedWith(second, { ...inGrace, target: '/refuses' })).toBe(false);
    expect(isSignedWith(second, { ...inGrace, body: inGrace.body.replace('call', 'CALL') })).toBe(false);
    expect([first, second].map((secret) => isSignedWith(secret, inGrace))).toEqual([true, true]);
    const third = await regenerate(0);
    const afterwards = await callOnce();
    expect([first, second, third].map((secret) => isSignedWith(secret, afterwards))).toEqual([false, false, true]);
    const stored = await world.admin.query<{ definition: unknown }>(sql`select definition from agent_versions`);
    for (const secret of [first, second, third])
      expect(`${JSON.stringify(stored)}${world.output()}${JSON.stringify(shop.requests)}`).not.toContain(secret);
  });

  test('that cannot be made keeps the request from being sent, and the model is told', async () => {
    await world.admin.query(sql`update agent_secrets set sealed = 'k9.x.y.z' where agent = 'seller'`);
    const before = shop.requests.length;
    const { text } = await session.person.ask(order({ name: 'works', arguments: {} }), /^\[/);
    expect(text).toContain('This cannot be done at the moment.');
    expect(shop.requests).toHaveLength(before);
    await eventually('the operator is told', () => world.output().includes("The agent's secret could not be read"));
  });
});
