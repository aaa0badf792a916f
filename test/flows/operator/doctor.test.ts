import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BackupLocation, checkBackups } from '../../../scripts/cli/doctor/checks/backups.ts';
import { checkConversation } from '../../../scripts/cli/doctor/checks/conversation.ts';
import { checkDatabase, latencyFinding } from '../../../scripts/cli/doctor/checks/database.ts';
import { checkCertificate, checkHealth } from '../../../scripts/cli/doctor/checks/front-door.ts';
import { addressFinding, parseCandidate, turnFinding } from '../../../scripts/cli/doctor/checks/media.ts';
import { lossFinding } from '../../../scripts/cli/doctor/checks/voice.ts';
import { sql } from '../../../services/store/sql.ts';
import { eventually } from '../../support/eventually.ts';
import { startTurnServer } from '../../support/rooms/turn-server.ts';
import { addAgents, openaiModel } from '../../support/world/agent-files.ts';
import { localSpeechVariables } from '../../support/world/local-speech.ts';
import { startWorld, type World } from '../../support/world/world.ts';

const run = promisify(execFile);
const parley = new URL('../../../scripts/parley.ts', import.meta.url).pathname;

let world: World;
let folder: string;
let key: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-doctor-'));
  world = await startWorld({ workers: 0, env: await localSpeechVariables() });
  key = (await world.credentials('echo')).apiKey;
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function examine(...args: string[]) {
  const options = { env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder } };
  return run(process.execPath, [parley, 'doctor', ...args], options).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, output: stdout + stderr }),
  );
}

/** A command on PATH that says what it is told to: neither clouds nor their tools can be here. */
async function program(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
}

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1');
  return eventually('it listens', () => (server.address() as AddressInfo | null)?.port);
};

test('an installation that is well', async () => {
  const { code, output } = await examine('--url', world.baseUrl, '--key', key, '--database-url', world.serviceUrl);
  expect(output).toMatch(/^ok {6}health: It is well/m);
  expect(output).toMatch(/^ok {6}clock: /m);
  expect(output).toMatch(/^ok {6}text session: The agent spoke/m);
  expect(output).toMatch(/^ok {6}voice path: Media goes to 127\.0\.0\.1:\d+ by UDP/m);
  expect(output).toMatch(/^left {4}TURN: None is offered/m);
  expect(output).toMatch(/^ok {6}voice: The agent was heard after \d+ ms/m);
  expect(output).toMatch(/^(ok {5}|WARNING) microphone: [\d.]+ % of what it sends is lost/m);
  expect(output).toMatch(/^ok {6}database: /m);
  expect(output).toMatch(/^ok {6}schema: /m);
  expect(output).toMatch(/ 0 failed, /);
  expect(code).toBe(0);
  const live = await world.admin.query(sql`select 1 from sessions where status <> 'ended'`);
  expect(live).toEqual([]);
});

test('a stack: its address comes from Pulumi, and the age of its backups from the cluster', async () => {
  const outputs = {
    url: world.baseUrl,
    credentials: 'kubectl exec …',
    backups: { kind: 'statefulset', namespace: 'parley-acme' },
  };
  await program('pulumi', `echo '${JSON.stringify(outputs)}'`);
  await program('kubectl', `echo '{"status":{"lastSuccessfulTime":"${new Date().toISOString()}"}}'`);
  const { code, output } = await examine('--stack', 'acme');
  expect(output).toMatch(/^ok {6}backups: The last good one is 0\.0 hours old/m);
  expect(output).toMatch(/^left {4}text session: For a conversation give --key; "kubectl exec …" prints one/m);
  expect(code).toBe(0);
});

test('a stack that Pulumi does not know, in one sentence', async () => {
  await program('pulumi', 'echo "error: no stack named acme found" >&2; exit 255');
  const { code, output } = await examine('--stack', 'acme');
  expect([code, output]).toEqual([
    1,
    'Pulumi doesn\'t tell the outputs of stack "acme": error: no stack named acme found\n',
  ]);
});

describe('each check, when it fails', () => {
  test('health: nothing at the address', async () => {
    const [health] = await checkHealth('http://127.0.0.1:9');
    expect(health).toMatchObject({ state: 'failed', todo: expect.stringContaining('load balancer') });
  });

  test('health and conversation: the room server is away', async () => {
    await world.rooms.kill();
    await eventually('health notices', async () => (await checkHealth(world.baseUrl))[0]?.state === 'failed');
    const [health] = await checkHealth(world.baseUrl);
    expect(health?.todo).toContain('room server');
    const findings = await checkConversation({ url: world.baseUrl, key });
    expect(findings.filter(({ state }) => state === 'failed').map(({ check }) => check)).toContain('text session');
    await world.rooms.start();
    await eventually('all is well', async () => (await checkHealth(world.baseUrl))[0]?.state === 'ok');
  });

  test('clock: an hour late', async () => {
    const late = new Date(Date.now() - 3_600_000).toISOString();
    const server = createPlainServer((_request, response) =>
      response.end(JSON.stringify({ status: 'ok', timestamp: late })),
    );
    const findings = await checkHealth(`http://127.0.0.1:${await listen(server)}`);
    expect(findings).toMatchObject([{ state: 'ok' }, { check: 'clock', state: 'failed' }]);
    server.close();
  });

  test('certificate: soon over, over, for another name, of an unknown authority', async () => {
    const [keyFile, file] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '90', '-keyout', keyFile, '-out', file];
    await run('openssl', [...make, ...subject]);
    const { stdout: certificate } = await run('cat', [file]);
    const { stdout: privateKey } = await run('cat', [keyFile]);
    const server = createServer({ cert: certificate, key: privateKey });
    const url = `https://localhost:${await listen(server)}`;
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
    const states = [10, 75, 85].map(async (days) => (await checkCertificate(url, inDays(days), certificate)).state);
    expect(await Promise.all(states)).toEqual(['ok', 'warning', 'failed']);
    expect((await checkCertificate(url)).says).toMatch(/not trusted/);
    expect((await checkCertificate(url.replace('localhost', '127.0.0.1'), new Date(), certificate)).state).toBe(
      'failed',
    );
    server.close();
  });

  test('conversation: a key that nobody knows, with the request by which the logs tell of it', async () => {
    const [finding] = await checkConversation({ url: world.baseUrl, key: `pk_${'x'.repeat(43)}` });
    expect(finding).toMatchObject({ check: 'text session', state: 'failed' });
    expect(finding?.says).toMatch(/ \(request [\w-]{20,}\)$/);
  });

  test('conversation: an agent that greets and then only apologises, because its model is away', async () => {
    await addAgents(world, { mute: { model: openaiModel('http://127.0.0.1:9/v1'), script: undefined } });
    const { apiKey } = await world.credentials('mute');
    const finding = await eventually('a host has room', async () => {
      const [written] = await checkConversation({ url: world.baseUrl, key: apiKey });
      return written?.says.includes('No agent host has room') ? undefined : written;
    });
    expect(finding).toMatchObject({ check: 'text session', state: 'failed' });
    expect(finding.says).toMatch(/says that it cannot answer: its model failed/);
    expect(finding.todo).toContain('a model does not answer');
  });

  test('voice path: callers are told an address that is inside only, or none', () => {
    const candidate = JSON.stringify({ candidate: 'candidate:1 1 udp 2130706431 10.0.3.7 7882 typ host' });
    const inside = parseCandidate(candidate);
    expect(inside).toEqual([{ protocol: 'udp', address: '10.0.3.7', port: 7882 }]);
    expect(addressFinding('wss://acme.example.com', inside)).toMatchObject({ state: 'failed' });
    expect(addressFinding('ws://127.0.0.1:7880', inside)).toMatchObject({ state: 'ok' });
    expect(addressFinding('wss://acme.example.com', [])).toMatchObject({ state: 'failed' });
  });

  test('voice: what is sent arrives in parts', () => {
    expect(lossFinding({ lost: 0.01, roundTripSeconds: 0.04 })).toMatchObject({ state: 'ok' });
    expect(lossFinding({ lost: 0.2, roundTripSeconds: 0.04 })).toMatchObject({ state: 'warning' });
  });

  test('TURN: a relay by TLS that leads to the room server, one that does not, and none', async () => {
    await using turn = await startTurnServer(folder);
    const { access, peer, place } = turn;
    const well = await turnFinding(peer, access, place);
    expect(well).toMatchObject({
      state: 'ok',
      says: expect.stringMatching(/leads by 127\.0\.0\.1 to 127\.0\.0\.1:\d+/),
    });
    const faults = [
      await turnFinding({ address: '10.0.0.7', port: 7882 }, access, place),
      await turnFinding(peer, { ...access, credential: 'another' }, place),
      await turnFinding(peer, access, { ...place, authority: undefined }),
      await turnFinding(
        peer,
        { ...access, url: 'turns:elsewhere.parley.test:443' },
        { ...place, address: '127.0.0.9' },
      ),
    ];
    expect(faults.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(faults[0]?.says).toContain('it answers 403');
    expect(faults[0]?.todo).toContain('refuses');
    expect(faults[1]?.says).toMatch(/it answers 4\d\d/);
    expect(faults[2]?.says).toMatch(/self-signed/);
  });

  test('database: away, slow, or with another schema', async () => {
    expect(await checkDatabase('postgres://nobody:x@127.0.0.1:9/parley')).toMatchObject([{ state: 'failed' }]);
    expect(latencyFinding(80)).toMatchObject({ state: 'warning' });
    const [last] = await world.admin.query<{ name: string; at: string }>(
      sql`delete from migrations where name = (select max(name) from migrations) returning name, at`,
    );
    const findings = await checkDatabase(world.serviceUrl);
    expect(findings).toMatchObject([{ state: 'ok' }, { state: 'failed', says: `It lacks ${last?.name}.` }]);
    await world.admin.query(sql`insert into migrations values (${last?.name ?? ''}, ${last?.at ?? ''})`);
  });

  test('database: functions of another version, which a newer one may have left', async () => {
    const change = (hash: string, release: number) =>
      world.admin.query<{ before: string }>(sql`
        update functions f set hash = ${hash}, release = ${release} from functions old
        where f.signature = 'locate_key(bytea)' and old.signature = f.signature returning old.hash as before`);
    const [was] = await change('another', 1);
    expect(await checkDatabase(world.serviceUrl)).toMatchObject([
      { state: 'ok' },
      { state: 'failed', says: 'It lacks functions of this version: locate_key.sql.' },
    ]);
    await change('another', 1_000_000);
    expect(await checkDatabase(world.serviceUrl)).toMatchObject([
      { state: 'ok' },
      { state: 'ok', says: expect.stringMatching(/newer release \(1000000; this is \d+\)/) },
    ]);
    await change(was?.before ?? '', 1);
  });

  const locations: readonly BackupLocation[] = [
    { kind: 'statefulset', namespace: 'parley-acme' },
    { kind: 'cloudnativepg', namespace: 'parley-acme' },
    { kind: 'rds', instance: 'parley-acme' },
  ];

  test.for(locations)('backups by $kind: too old, none yet, nobody tells', async (location) => {
    const now = new Date('2026-11-21T12:00:00Z');
    const ask = () => checkBackups(location, now, { PATH: `${folder}:${process.env.PATH}` });
    const at = (time: string) =>
      JSON.stringify({
        status: { lastSuccessfulTime: time, lastSuccessfulBackup: time },
        DBInstances: [{ LatestRestorableTime: time }],
      });
    for (const [answer, state] of [
      [at('2026-11-21T03:00:00Z'), 'ok'],
      [at('2026-11-19T03:00:00Z'), 'failed'],
      ['{}', 'failed'],
    ]) {
      for (const name of ['kubectl', 'aws']) await program(name, `echo '${answer}'`);
      expect(await ask()).toMatchObject({ state });
    }
    for (const name of ['kubectl', 'aws']) await program(name, 'echo "not logged in" >&2; exit 1');
    expect(await ask()).toMatchObject({ state: 'failed', says: expect.stringContaining('Nobody tells') });
  });
});
