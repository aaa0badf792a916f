import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { planTenant } from '../../infra/plan.ts';
import { roomConfiguration } from '../../infra/room-configuration.ts';
import { roomServerPath } from '../../scripts/toolchain/room-server.ts';
import { awsTenant, guestTenant, kubernetesTenant, large } from './support/tenants.ts';

const run = promisify(execFile);
let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-room-configuration-'));
  program = await roomServerPath(() => undefined);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const secrets = { key: 'key-1', secret: 'a-secret-of-more-than-32-characters-0', cacheUrl: undefined };

/** What the room server itself understands of a configuration; it prints what it does not, and says that all is well. */
async function portsOf(yaml: string): Promise<string> {
  const file = join(folder, 'livekit.yaml');
  // Nothing here answers who we are outside.
  await writeFile(file, yaml.replace('use_external_ip: true', 'use_external_ip: false'));
  const { stdout } = await run(program, ['--config', file, '--node-ip', '192.0.2.7', 'ports']);
  if (stdout.includes('could not')) throw new Error(stdout);
  return stdout;
}

const cacheUrl = 'rediss://:token@cache.test:6379/3';

test('the room server takes our configuration, and refuses one with a field that it does not know', async () => {
  const plan = planTenant(kubernetesTenant());
  const ports = await portsOf(roomConfiguration(plan, secrets));
  for (const port of ['7880', '7881', '7882']) expect(ports).toContain(port);
  const unknown = `${roomConfiguration(plan, secrets)}\nroomz: {}\n`;
  await expect(portsOf(unknown)).rejects.toThrow(/roomz/);
});

test('a server of several finds the others by Redis, over TLS and under its own number', async () => {
  const yaml = roomConfiguration(planTenant(awsTenant()), { ...secrets, cacheUrl });
  expect(await portsOf(yaml)).toContain('7883');
  expect(parse(yaml).redis).toEqual({
    address: 'cache.test:6379',
    password: 'token',
    db: 3,
    tls: { enabled: true },
  });
});

test.each([
  ['alone on a node', kubernetesTenant()],
  ['one of several', kubernetesTenant(large)],
  ['behind NAT', kubernetesTenant({ kubernetes: { ...kubernetesTenant().kubernetes, roomAddress: 'discovered' } })],
  ['on shared nodes', guestTenant()],
])('only hosts make rooms, and the API hears of every event: %s', async (_where, tenant) => {
  const plan = planTenant(tenant);
  const yaml = roomConfiguration(plan, secrets);
  await portsOf(yaml);
  const { room, webhook, rtc, api } = parse(yaml);
  expect(room.auto_create).toBe(false);
  expect(api).toEqual({ enable_psrpc_for_get_list_participants: true });
  expect(webhook).toEqual({ api_key: 'key-1', urls: [plan.addresses.roomEventsUrl] });
  // One port for all media, or a firewall would need thousands.
  expect(rtc.udp_port).toBe(plan.rooms.ports.mediaUdp);
  expect(rtc.port_range_start).toBeUndefined();
});
