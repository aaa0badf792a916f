import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import type { CompiledAgent } from '../../../services/agent-files/definition/compiled.ts';
import type { Credentials } from '../../../services/core/credentials/credentials.ts';
import type { Values } from '../../../services/settings/settings.ts';
import { isForAgents } from '../../../services/settings/subjects/agent-variables.ts';
import { variables } from '../../../services/settings/write.ts';
import { type Database, openDatabase } from '../../../services/store/database.ts';
import { sql } from '../../../services/store/sql.ts';
import { upsertTenant } from '../../../services/store/tables/tenants.ts';
import type { TestPostgres, TestPostgresOptions } from '../databases/postgres.ts';
import { openStoryDatabase, type StoryDatabase, startOwnDatabase } from '../databases/story-database.ts';
import { eventually } from '../eventually.ts';
import type { Node } from '../network/nodes.ts';
import { Customer } from '../people/customer.ts';
import { startRoomServer, type TestRoomServer, type TestRoomServerOptions } from '../rooms/room-server.ts';
import { publish } from './compiled-agent.ts';
import {
  credentialsOf,
  ourCode,
  programOf,
  publishFolder,
  type RunningService,
  runService,
  settingsOf,
  whenReady,
} from './installation.ts';
import { masterKeys } from './master-keys.ts';
import type { ServiceProcess } from './service-process.ts';

/** What is no setting is for agents' files to name, unless a world declares it itself; our own agents name the first. */
const declared = (env: Record<string, string>) =>
  variables({ agentVariables: [...new Set(['TEST_TOOLS_URL', ...Object.keys(env).filter(isForAgents)])] });

const toldAlone = ({ settings = {}, env = {} }: ProcessOptions) => ({ ...variables(settings), ...env });

export interface WorldOptions {
  hosts?: number;
  apis?: number;
  workers?: number;
  /** Folder of agent files; the tests' own by default. */
  agents?: string;
  /** Of all processes, over the world's own. */
  settings?: Values;
  /** Further variables of all processes, such as agents' files name. */
  env?: Record<string, string>;
  /** Folder of the code that its processes run; ours by default. */
  code?: string;
  warmRooms?: number;
  capacity?: number;
  /** For stories that stop, freeze or kill PostgreSQL, or need one with settings of its own; others share a server. */
  ownPostgres?: boolean | TestPostgresOptions;
  /** Starts what is to be its room server, such as several that are one. */
  openRooms?: (options: TestRoomServerOptions) => Promise<TestRoomServer>;
}

export type RunningApi = RunningService & { port: number };

/** Of one process, over what all are told. */
export interface ProcessOptions extends Pick<WorldOptions, 'settings' | 'env'> {
  /** Of a network of the test's own on which it runs. */
  node?: Node | undefined;
}

const ownAgents = new URL('../../agents/', import.meta.url).pathname;

/**
 * The whole product as real processes over a real PostgreSQL and a real room server. A test may kill, freeze and bring
 * back each of them, the database if it is its own. Everything is gone when the world is disposed of.
 */
export class World implements AsyncDisposable {
  readonly rooms: TestRoomServer;
  /** The database as its owner sees it, for assertions: no row-level security. */
  readonly admin: Database;
  readonly adminUrl: string;
  readonly serviceUrl: string;
  readonly tenant: string;
  readonly agentsFolder: string;
  readonly env: Record<string, string>;
  readonly hosts: RunningService[] = [];
  readonly apis: RunningApi[] = [];
  readonly workers: RunningService[] = [];
  readonly #database: StoryDatabase;
  readonly #ports: { api: number; internal: number };
  #code: string;
  #credentials = new Map<string, Credentials>();

  private constructor(parts: {
    database: StoryDatabase;
    rooms: TestRoomServer;
    admin: Database;
    tenant: string;
    agentsFolder: string;
    env: Record<string, string>;
    ports: { api: number; internal: number };
    code: string;
  }) {
    this.#database = parts.database;
    this.rooms = parts.rooms;
    this.admin = parts.admin;
    this.adminUrl = parts.database.adminUrl;
    this.serviceUrl = parts.database.serviceUrl;
    this.tenant = parts.tenant;
    this.agentsFolder = parts.agentsFolder;
    this.env = parts.env;
    this.#ports = parts.ports;
    this.#code = parts.code;
  }

  static async start({
    hosts = 1,
    apis = 1,
    workers = 1,
    agents = ownAgents,
    settings = {},
    env = {},
    code = ourCode,
    warmRooms = 4,
    capacity = 200,
    ownPostgres = false,
    openRooms = startRoomServer,
  }: WorldOptions = {}): Promise<World> {
    const [api, internal] = [await freeTcpPort(), await freeTcpPort()];
    const [database, rooms] = await Promise.all([
      ownPostgres ? startOwnDatabase(ownPostgres === true ? {} : ownPostgres) : openStoryDatabase(),
      openRooms({ webhookUrl: `http://127.0.0.1:${internal}/room-events` }),
    ]);
    const admin = openDatabase(database.adminUrl);
    const { id: tenant } = await upsertTenant(admin, { slug: 'local', name: 'Local', features: { webhook: true } });
    const agentsFolder = await mkdtemp(join(tmpdir(), 'parley-agents-'));
    await cp(agents, agentsFolder, { recursive: true });
    const world = new World({
      database,
      rooms,
      admin,
      tenant,
      agentsFolder,
      ports: { api, internal },
      code,
      env: {
        ...variables({
          ...settingsOf({ serviceUrl: database.serviceUrl, rooms, agentsFolder, masterKeys }),
          environment: 'development',
          capacity,
          warmRooms,
          ...settings,
        }),
        ...(settings.agentVariables === undefined ? declared(env) : {}),
        ...env,
      },
    });
    await world.#startProcesses({ hosts, apis, workers });
    if (workers > 0) await world.#agentsActive();
    else await world.publishAgents();
    return world;
  }

  /** @throws Error in a world that shares its server with others */
  get postgres(): TestPostgres {
    if (!this.#database.postgres) throw new Error('this world shares PostgreSQL: start it with ownPostgres');
    return this.#database.postgres;
  }

  /** Stops every process, and starts as many of our own code. */
  async restartWithOurCode(): Promise<void> {
    const running = [this.hosts, this.apis, this.workers].map((all) => all.filter((process) => process.running));
    await Promise.all(running.flat().map((process) => process.stop()));
    this.#code = ourCode;
    const [hosts = 0, apis = 0, workers = 0] = running.map(({ length }) => length);
    await this.#startProcesses({ hosts, apis, workers });
  }

  async #startProcesses({ hosts, apis, workers }: { hosts: number; apis: number; workers: number }): Promise<void> {
    await Promise.all([
      ...Array.from({ length: workers }, () => this.startWorker()),
      ...Array.from({ length: hosts }, () => this.startHost()),
      ...Array.from({ length: apis }, () => this.startApi()),
    ]);
  }

  /** A further agent host, ready when this resolves. */
  async startHost({ node, ...options }: ProcessOptions = {}): Promise<RunningService> {
    const told = { ...this.env, ...declared({ ...this.env, ...options.env }), ...toldAlone(options) };
    const host = runService(programOf('agent', this.#code), told, await freeTcpPort(), node);
    this.hosts.push(host);
    await whenReady(host);
    return host;
  }

  /** @param options.inPlaceOf one that has ended, whose ports it takes */
  async startApi({
    inPlaceOf,
    ...options
  }: ProcessOptions & { inPlaceOf?: RunningApi | undefined } = {}): Promise<RunningApi> {
    const isFirst = this.apis.every((api) => !api.running);
    const port = inPlaceOf?.port ?? (isFirst ? this.#ports.api : await freeTcpPort());
    const internalPort = inPlaceOf?.internalPort ?? (isFirst ? this.#ports.internal : await freeTcpPort());
    const told = { ...this.env, ...variables({ port }), ...toldAlone(options) };
    const started = runService(programOf('api', this.#code), told, internalPort);
    const api = Object.assign(started, { port });
    this.apis.push(api);
    await whenReady(api);
    return api;
  }

  async startWorker(options: ProcessOptions = {}): Promise<RunningService> {
    const told = { ...this.env, ...toldAlone(options) };
    const worker = runService(programOf('worker', this.#code), told, await freeTcpPort());
    this.workers.push(worker);
    await whenReady(worker);
    return worker;
  }

  /** Makes the agents' folder live: what a worker does by itself, for worlds without one. */
  async publishAgents(): Promise<void> {
    const { serviceUrl, tenant } = this;
    await publishFolder({ serviceUrl, masterKeys, tenant }, this.agentsFolder);
  }

  /** Makes agents live without files; gives their credentials by agent. */
  publish(agents: readonly CompiledAgent[], tenant = this.tenant): Promise<Record<string, Credentials>> {
    return publish({ serviceUrl: this.serviceUrl, masterKeys, tenant }, agents);
  }

  /** The host process that serves a session at the moment. */
  async hostOf(sessionId: string): Promise<ServiceProcess> {
    const [row] = await this.admin.query<{ host_id: string }>(
      sql`select host_id from sessions where id = ${sessionId}`,
    );
    for (const host of this.hosts.filter((process) => process.running)) {
      const status = (await (await fetch(`http://${host.address}:${host.internalPort}/readyz`)).json()) as {
        host: string;
      };
      if (status.host === row?.host_id) return host;
    }
    throw new Error(`no running host serves ${sessionId}`);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#ports.api}`;
  }

  async credentials(agent: string): Promise<Credentials> {
    const known = this.#credentials.get(agent);
    if (known) return known;
    const { serviceUrl, tenant } = this;
    const credentials = await credentialsOf({ serviceUrl, masterKeys, tenant }, agent);
    this.#credentials.set(agent, credentials);
    return credentials;
  }

  /** After somebody has given the agent another key or secret. */
  forgetCredentials(agent: string): void {
    this.#credentials.delete(agent);
  }

  /** Somebody who calls the REST API with an agent's key. */
  async customer(agent = 'echo'): Promise<Customer> {
    const { apiKey } = await this.credentials(agent);
    return new Customer(this.baseUrl, apiKey);
  }

  /** What every process wrote last: for a failing test's report. */
  output(): string {
    const named = [
      ...this.apis.map((p) => ['api', p] as const),
      ...this.hosts.map((p) => ['agent', p] as const),
      ...this.workers.map((p) => ['worker', p] as const),
    ];
    return named.map(([name, process]) => `--- ${name} ${process.pid}\n${process.output()}`).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.apis, ...this.hosts, ...this.workers].map((process) => process[Symbol.asyncDispose]()));
    await this.admin.close();
    await Promise.all([this.#database[Symbol.asyncDispose](), this.rooms[Symbol.asyncDispose]()]);
    await rm(this.agentsFolder, { recursive: true, force: true });
  }

  async #agentsActive(): Promise<void> {
    await eventually(
      'an agent is active',
      async () => (await this.admin.query(sql`select 1 from agents`)).length > 0,
    ).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.output()}`);
    });
  }
}

export const startWorld = (options?: WorldOptions): Promise<World> => World.start(options);
