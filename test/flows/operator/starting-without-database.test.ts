import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { variables } from '../../../services/settings/write.ts';
import { eventually } from '../../support/eventually.ts';
import { startTcpProxy } from '../../support/network/tcp-proxy.ts';
import { programOf, runService, type ServiceName, whenReady } from '../../support/world/installation.ts';
import { startWorld, type World } from '../../support/world/world.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({ hosts: 0, apis: 0, workers: 0 });
});
afterAll(() => world?.[Symbol.asyncDispose]());

test.each<ServiceName>(['api', 'worker', 'agent'])(
  'the %s waits for a database that is not there yet, and says so, instead of ending',
  async (name) => {
    const [databasePort, port, internalPort] = [await freeTcpPort(), await freeTcpPort(), await freeTcpPort()];
    const direct = new URL(world.serviceUrl);
    const url = new URL(world.serviceUrl);
    url.port = String(databasePort);
    const env = { ...world.env, ...variables({ databaseUrl: url.href, ...(name === 'api' ? { port } : {}) }) };
    await using service = runService(programOf(name), env, internalPort);
    const probe = (path: string) => fetch(`http://127.0.0.1:${internalPort}${path}`);
    await eventually('it says that it waits', () => service.output().includes('waits for it'), { withinMs: 100_000 });
    expect([(await probe('/livez')).status, (await probe('/readyz')).status]).toEqual([200, 503]);
    expect(service.running).toBe(true);
    await using _database = await startTcpProxy(Number(direct.port), databasePort);
    await whenReady(service);
    await eventually('it says so', () => service.output().includes('the database answers'));
    await service.stop();
    expect(await service.exited).toEqual([0, null]);
  },
);

test.each<ServiceName>(['worker', 'agent'])('the %s that waits ends when it is told to', async (name) => {
  const url = new URL(world.serviceUrl);
  url.port = String(await freeTcpPort());
  await using service = runService(
    programOf(name),
    { ...world.env, ...variables({ databaseUrl: url.href }) },
    await freeTcpPort(),
  );
  await eventually('it says that it waits', () => service.output().includes('waits for it'), { withinMs: 100_000 });
  await service.stop();
  expect(await service.exited).toEqual([0, null]);
});
