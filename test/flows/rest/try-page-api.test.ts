import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../../services/store/sql.ts';
import { type FakeHost, startFakeHost } from '../../support/databases/fake-host.ts';
import { ask } from '../../support/people/rest.ts';
import { compiledAgent } from '../../support/world/compiled-agent.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;
let host: FakeHost;
let key: string;

beforeAll(async () => {
  world = await startWorld({ hosts: 0, workers: 0 });
  key = (await world.publish([compiledAgent()])).desk?.apiKey ?? '';
  host = await startFakeHost(world.serviceUrl, { warmRooms: 2 });
});

afterAll(async () => {
  await host?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

const read = (path: string) => ask(world.baseUrl, 'GET', path);

test('the page is given the agents with their keys', async () => {
  const answer = await read('/try/api/agents');
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual([
    {
      agent: 'desk',
      name: 'Front desk',
      apiKey: key,
      languages: [
        { code: 'en', name: 'English', speaks: false },
        { code: 'de-DE', name: 'Deutsch', speaks: false },
      ],
    },
  ]);
  expect(answer.text).not.toContain('sk_');
});

test('the page is told why the files as they are now are not live', async () => {
  expect((await read('/try/api/refusal')).body).toBeNull();
  const reasons = [{ file: 'desk.yaml', line: 2, column: 1, message: 'There is no field "promt".' }];
  await world.admin.query(sql`
    insert into agent_revisions (tenant_id, source, state, reasons, reasons_left_out)
    values (${world.tenant}, 'folder', 'refused', ${JSON.stringify(reasons)}, 3)`);
  expect((await read('/try/api/refusal')).body).toEqual({ reasons, reasonsLeftOut: 3 });
  await world.admin.query(
    sql`insert into agent_revisions (tenant_id, source, state) values (${world.tenant}, 'folder', 'active')`,
  );
  expect((await read('/try/api/refusal')).body).toBeNull();
});

test('the page is given everything stored about a session', async () => {
  const created = await ask(world.baseUrl, 'POST', '/api/sessions', { key });
  const sessionId = String(created.body.sessionId);
  const line = { role: 'USER', content: 'Hello', sessionId };
  await ask(world.baseUrl, 'POST', '/api/sessions/transcription', { key, body: line });
  await ask(world.baseUrl, 'POST', `/api/sessions/${sessionId}/end`, { key });
  const { body } = await read(`/try/api/sessions/${sessionId}`);
  expect(body).toMatchObject({
    status: 'ended',
    endReason: 'client_ended',
    durationSeconds: 0,
    billedSeconds: 0,
    summary: null,
    toolCalls: [],
    messages: [{ role: 'USER', content: 'Hello', interrupted: false }],
    presence: [],
    events: [{ kind: 'ended', source: 'api' }],
  });
  expect((await read(`/try/api/sessions/s_${'A'.repeat(22)}`)).body.code).toBe('session_not_found');
});

/** A request with a Host of its own, as a browser sends it whose page's name was made to resolve to this machine. */
function statusFor(path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${world.baseUrl}${path}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('only this machine is given anything', async () => {
  for (const path of ['/try/', '/try/api/agents']) {
    expect(await statusFor(path, { host: 'attacker.example' })).toBe(404);
    expect(await statusFor(path, { host: 'localhost.attacker.example:80' })).toBe(404);
    expect(await statusFor(path, { 'x-forwarded-for': '203.0.113.1' })).toBe(404);
  }
  expect(await statusFor('/try/api/agents', { host: 'localhost:7800' })).toBe(200);
  const { headers } = await ask(world.baseUrl, 'GET', '/try/api/agents', {
    headers: { origin: 'https://elsewhere.example' },
  });
  expect(headers.get('access-control-allow-origin')).toBeNull();
});
