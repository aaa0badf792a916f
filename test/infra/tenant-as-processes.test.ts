import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeTcpPort, freeUdpPort } from '../../scripts/toolchain/ports.ts';
import { roomServerPath } from '../../scripts/toolchain/room-server.ts';
import { startRoomServerProcess } from '../../scripts/toolchain/room-server-process.ts';
import { Customer } from '../support/customer.ts';
import { eventually } from '../support/eventually.ts';
import { Person } from '../support/person.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { startCluster } from './support/cluster.ts';
import { type Container, containerOf, environmentHere, secretOf } from './support/containers.ts';
import type { ControlPlane } from './support/control-plane.ts';
import { openProject, openPulumi, type PulumiHome, ShellStack, useExample } from './support/pulumi.ts';

const minute = 60_000;
const namespace = 'parley-dev';
const root = join(import.meta.dirname, '../..');

let cluster: ControlPlane;
let home: PulumiHome;
let postgres: TestPostgres;

beforeAll(async () => {
  cluster = await startCluster();
  home = await openPulumi({ KUBECONFIG: cluster.kubeconfigFile });
  const project = await openProject(home);
  await useExample(project, 'dev');
  const stack = new ShellStack(home, project, 'dev');
  await stack.init();
  await stack.up();
  postgres = await startPostgres();
}, 60 * minute);

afterAll(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await home?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

async function containers(apiVersion: string, kind: string): Promise<Map<string, Container>> {
  const objects = await cluster.api.list(apiVersion, kind, namespace);
  const found = objects.map(
    async (object) =>
      [object.metadata.labels?.['app.kubernetes.io/name'] ?? '', await containerOf(cluster.api, object)] as const,
  );
  return new Map(await Promise.all(found));
}

/** The server of the StatefulSet, as far as the processes see it: its owner, its database, their password. */
async function makeDatabase(adminUrl: string): Promise<void> {
  const { username, password, pathname } = new URL(adminUrl);
  const client = new pg.Client({ connectionString: postgres.adminUrl });
  await client.connect();
  await client.query(`create role ${username} superuser login password '${password}'`);
  await client.query(`create database ${pathname.slice(1)} owner ${username}`);
  await client.end();
}

/** The command of an image, by our Node. */
function start({ command }: Container, env: Record<string, string>): ServiceProcess {
  const [node, script = ''] = command;
  expect(node).toBe('node');
  return new ServiceProcess(join(root, script), env);
}

test('the containers of a tenant, run as processes with what its objects give them, hold a conversation', async () => {
  const [job] = (await containers('batch/v1', 'Job')).values();
  const services = await containers('apps/v1', 'Deployment');
  const { key = '', secret = '' } = await secretOf(cluster.api, namespace, 'room-keys');
  const ports = { rooms: await freeTcpPort(), media: await freeUdpPort(), api: await freeTcpPort() };
  const internal = { api: await freeTcpPort(), agent: await freeTcpPort(), worker: await freeTcpPort() };
  const places = {
    [`database.${namespace}.svc.cluster.local:5432`]: `127.0.0.1:${postgres.port}`,
    [`ws://rooms.${namespace}-rooms.svc.cluster.local:7880`]: `ws://127.0.0.1:${ports.rooms}`,
    'wss://dev.example.com': `ws://127.0.0.1:${ports.rooms}`,
  };
  const environment = async (
    container: Container | undefined,
    own: Record<string, string> = {},
  ): Promise<Record<string, string>> => {
    if (!container) throw new Error('the stack has no such container');
    const folder = join(home.folder, 'files');
    await mkdir(folder, { recursive: true });
    const env = await environmentHere(container, folder, places);
    // Every pod has its ports and addresses to itself; here they share one machine.
    return { ...env, PARLEY_BIND: '127.0.0.1', ...own };
  };

  const preparation = await environment(job);
  await makeDatabase(preparation.PARLEY_DATABASE_ADMIN_URL ?? '');
  for (const _again of [1, 2]) {
    await using prepared = start(job as Container, preparation);
    expect(await prepared.exited, prepared.output()).toEqual([0, null]);
  }

  const rooms = await startRoomServerProcess({
    program: await roomServerPath(() => undefined),
    configFile: join(home.folder, 'rooms.yaml'),
    endsWithUs: true,
    config: {
      port: ports.rooms,
      udpPort: ports.media,
      apiKey: key,
      apiSecret: secret,
      webhookUrls: [`http://127.0.0.1:${internal.api}/room-events`],
    },
  });
  try {
    await rooms.ready;
    const started = await Promise.all(
      (['api', 'agent', 'worker'] as const).map(async (service) => {
        const own = { PARLEY_INTERNAL_PORT: String(internal[service]), PARLEY_PORT: String(ports.api) };
        const container = services.get(service);
        return { service, process: start(container as Container, await environment(container, own)) };
      }),
    );
    await using _cleanUp = { [Symbol.asyncDispose]: () => endAll(started.map(({ process }) => process)) };
    for (const { service, process } of started) {
      await eventually(
        `${service} is ready`,
        async () => {
          if (!process.running) throw new Error(process.output());
          return (await fetch(`http://127.0.0.1:${internal[service]}/readyz`)).ok;
        },
        // Three processes start at once beside a control plane.
        { withinMs: 2 * minute },
      );
    }
    const worker = await environment(services.get('worker'));
    const apiKey = await eventually('the agents of the folder are live', () => keyOf('support', worker));
    const customer = new Customer(`http://127.0.0.1:${ports.api}`, apiKey);
    const session = await customer.createSession({ interactionMode: 'TEXT' });
    await using person = await Person.join(session);
    await person.ask('Hello');
  } finally {
    await rooms.kill();
  }
});

async function endAll(processes: readonly ServiceProcess[]): Promise<void> {
  await Promise.all(processes.map((one) => one.kill()));
}

/** As an operator asks for it: by the command that the stack's output names. */
async function keyOf(agent: string, env: Record<string, string>): Promise<string | undefined> {
  await using asked = new ServiceProcess(join(root, 'scripts/credentials.ts'), env, [agent]);
  await asked.exited;
  return /pk_[A-Za-z0-9_-]{43}/.exec(asked.output())?.[0];
}
