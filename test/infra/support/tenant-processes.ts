import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { mounts } from '../../../infra/plan/variables.ts';
import { freeTcpPort, freeUdpPort } from '../../../scripts/toolchain/ports.ts';
import { roomServerPath } from '../../../scripts/toolchain/room-server.ts';
import { startRoomServerProcess } from '../../../scripts/toolchain/room-server-process.ts';
import type { ServerProcess } from '../../../scripts/toolchain/server-process.ts';
import { settings } from '../../../services/settings/settings.ts';
import { variables } from '../../../services/settings/write.ts';
import { startPostgres, type TestPostgres } from '../../support/databases/postgres.ts';
import { eventually } from '../../support/eventually.ts';
import { Customer } from '../../support/people/customer.ts';
import { type RunningService, runService, type ServiceName, whenReady } from '../../support/world/installation.ts';
import { ServiceProcess } from '../../support/world/service-process.ts';
import { type Container, containerOf, environmentHere, secretOf, variableOf } from './containers.ts';
import type { ControlPlane } from './control-plane.ts';

const root = join(import.meta.dirname, '../../..');

interface Parts {
  namespace: string;
  folder: string;
  postgres: TestPostgres;
  rooms: ServerProcess;
  ports: Ports;
  services: Map<string, Container>;
  preparation: Container;
  places: Record<string, string>;
}

interface Ports {
  rooms: number;
  media: number;
  api: number;
  apiInternal: number;
}

/**
 * The containers of a tenant that the engine made in a cluster, as processes of this machine: their own commands with what
 * its objects give them, over a real database and room server in place of those that nodes would run.
 */
export class TenantProcesses implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #started: ServiceProcess[] = [];

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @param folder for files that are mounted in pods */
  static async open({ api }: ControlPlane, { slug, domain, folder }: { slug: string; domain: string; folder: string }) {
    const namespace = `parley-${slug}`;
    const containersOf = async (apiVersion: string, kind: string) => {
      const objects = await api.list(apiVersion, kind, namespace);
      const found = objects.map(
        async (one) => [one.metadata.labels?.['app.kubernetes.io/name'] ?? '', await containerOf(api, one)] as const,
      );
      return new Map(await Promise.all(found));
    };
    const [preparation] = (await containersOf('batch/v1', 'Job')).values();
    if (!preparation) throw new Error(`no job prepares ${namespace}`);
    await mkdir(folder, { recursive: true });
    const ports = {
      rooms: await freeTcpPort(),
      media: await freeUdpPort(),
      api: await freeTcpPort(),
      apiInternal: await freeTcpPort(),
    };
    const postgres = await startPostgres();
    await makeDatabase(postgres, variableOf(preparation, settings.databaseAdminUrl.name));
    const { key = '', secret = '' } = await secretOf(api, namespace, 'room-keys');
    const rooms = startRoomServerProcess({
      program: await roomServerPath(() => undefined),
      configFile: join(folder, 'rooms.yaml'),
      endsWithUs: true,
      config: {
        port: ports.rooms,
        udpPort: ports.media,
        apiKey: key,
        apiSecret: secret,
        webhookUrls: [`http://127.0.0.1:${ports.apiInternal}/room-events`],
      },
    });
    const places = {
      [`database.${namespace}.svc.cluster.local:5432`]: `127.0.0.1:${postgres.port}`,
      [`ws://rooms.${namespace}-rooms.svc.cluster.local:7880`]: `ws://127.0.0.1:${ports.rooms}`,
      [`wss://${domain}`]: `ws://127.0.0.1:${ports.rooms}`,
    };
    const services = await containersOf('apps/v1', 'Deployment');
    return new TenantProcesses({
      namespace,
      folder,
      postgres,
      rooms: await rooms,
      ports,
      services,
      preparation,
      places,
    });
  }

  /** Where the API's own Service leads. */
  get apiInternalPort(): number {
    return this.#parts.ports.apiInternal;
  }

  /** The database, by its superuser. */
  get databaseUrl(): string {
    const { pathname } = new URL(variableOf(this.#parts.preparation, settings.databaseAdminUrl.name));
    const url = new URL(this.#parts.postgres.adminUrl);
    url.pathname = pathname;
    return url.href;
  }

  /** The job before a rollout. @throws when it does not end well */
  async prepare(): Promise<void> {
    await this.#parts.rooms.ready;
    const env = await this.#environment(this.#parts.preparation);
    await using job = new ServiceProcess(programIn(this.#parts.preparation), env);
    const [code] = (await job.exited) as [number | null];
    if (code !== 0) throw new Error(`the job ended with ${code}:\n${job.output()}`);
  }

  /** A pod's process, ready when this resolves. */
  async start(name: ServiceName): Promise<RunningService> {
    const { api, apiInternal } = this.#parts.ports;
    const internalPort = name === 'api' ? apiInternal : await freeTcpPort();
    const container = this.#containerOf(name);
    const env = { ...(await this.#environment(container)), ...variables({ port: api }) };
    const service = runService(programIn(container), env, internalPort);
    this.#started.push(service);
    await whenReady(service);
    return service;
  }

  /** Somebody who calls the API with an agent's key, which `command` of the stack's outputs prints. */
  async customer(command: string): Promise<Customer> {
    const key = await eventually(
      'the agent is live',
      async () => /pk_[A-Za-z0-9_-]{43}/.exec(await this.answerOf(command))?.[0],
    );
    return new Customer(`http://127.0.0.1:${this.#parts.ports.api}`, key);
  }

  /** What an operator's command prints, as an output of the stack gives it: `kubectl … exec deploy/worker -- parley …` */
  async answerOf(command: string): Promise<string> {
    const [, words = ''] = /exec deploy\/worker -- parley (.*)$/.exec(command) ?? [];
    const env = await this.#environment(this.#containerOf('worker'));
    await using asked = new ServiceProcess(join(root, 'scripts/parley.ts'), env, words.split(' '));
    await asked.exited;
    return asked.output();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((service) => service[Symbol.asyncDispose]()));
    await this.#parts.rooms.kill();
    await this.#parts.postgres[Symbol.asyncDispose]();
  }

  #containerOf(name: ServiceName): Container {
    const container = this.#parts.services.get(name);
    if (!container) throw new Error(`${this.#parts.namespace} has no Deployment ${name}`);
    return container;
  }

  /** Every pod has its ports and addresses to itself; here they share one machine. */
  async #environment(container: Container): Promise<Record<string, string>> {
    const { folder, places } = this.#parts;
    // A folder each: nobody finds there what another pod mounts.
    const own = join(folder, container.command.join('-').replaceAll('/', '-'));
    return {
      ...(await environmentHere(container, own, { ...places, [mounts.owed]: join(own, 'owed') })),
      ...variables({ bind: '127.0.0.1' }),
    };
  }
}

/** The command of an image, to be run by our Node. */
function programIn({ command: [program, script = ''] }: Container): string {
  if (program !== 'node') throw new Error(`${program} ${script} is no command of ours`);
  return join(root, script);
}

/** The server of the StatefulSet, as far as the processes see it: its owner, its database, their password. */
async function makeDatabase({ adminUrl }: TestPostgres, url: string): Promise<void> {
  const { username, password, pathname } = new URL(url);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create role ${username} superuser login password '${password}'`);
  await client.query(`create database ${pathname.slice(1)} owner ${username}`);
  await client.end();
}
