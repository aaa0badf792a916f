import { access } from 'node:fs/promises';
import { RoomServiceClient } from 'livekit-server-sdk';
import { freeTcpPort } from '../../scripts/toolchain/ports.ts';
import type { CompiledScript } from '../../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import { publishAgents } from '../../services/core/agents/publish.ts';
import { revealCredentials } from '../../services/core/credentials/credentials.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import type { Values } from '../../services/settings/settings.ts';
import { variables } from '../../services/settings/write.ts';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { migrate } from '../../services/store/migrate.ts';
import { makeNotifier } from '../../services/store/notify.ts';
import { upsertTenant } from '../../services/store/tables/tenants.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { startRoomServer, type TestRoomServer } from '../support/rooms/room-server.ts';
import { ServiceProcess } from '../support/world/service-process.ts';

/** Where a client finds the product, and with which key. */
export interface Door {
  baseUrl: string;
  apiKey: string;
}

export interface BenchWorld extends AsyncDisposable {
  /** The database as its owner sees it. */
  admin: Database;
  adminUrl: string;
  serviceUrl: string;
  rooms: TestRoomServer;
  apiKey: string;
  /** What the benchmarks' agent says: the baselines say the same. Absent when it has a model. */
  script: CompiledScript | undefined;
  startApi(settings?: Values): Promise<Door>;
  /** @param env further variables, such as agents' files name */
  startHost(settings?: Values, env?: Record<string, string>): Promise<ServiceProcess>;
  /** Rooms that the room server knows. */
  listRooms(): Promise<string[]>;
  /** Reaper, reconciler and deliveries, as in every installation. */
  startWorker(): Promise<void>;
  /** Pids of the product's processes, in the order of their start. */
  pids(): number[];
  /** What the processes wrote last. */
  output(): string;
}

const masterKeys = `k1:${Buffer.alloc(32, 9).toString('base64')}`;
const writtenAgents = new URL('./agents/', import.meta.url).pathname;
const entry = (service: string) => new URL(`../../services/${service}/main.ts`, import.meta.url).pathname;

export interface BenchWorldOptions {
  /** Holds the one agent that is live. Default: the one that repeats texts. */
  agentsFolder?: string;
}

/**
 * The product as it runs in production, on a PostgreSQL that writes to disk before it says so, with the benchmarks' agent
 * live. Processes are started one by one; all are gone when the world is disposed of.
 */
export async function startBenchWorld({ agentsFolder = writtenAgents }: BenchWorldOptions = {}): Promise<BenchWorld> {
  const internalPort = await freeTcpPort();
  const [postgres, rooms] = await Promise.all([
    startPostgres({ fsync: true, settings: { 'parley.check_keys': 'off' } }),
    startRoomServer({ webhookUrl: `http://127.0.0.1:${internalPort}/room-events` }),
  ]);
  const serviceUrl = `postgres://parley_service:for-benchmarks@127.0.0.1:${postgres.port}/postgres`;
  await migrate({ adminUrl: postgres.adminUrl, serviceUrl });
  const admin = openDatabase(postgres.adminUrl);
  const agent = await makeAgentLive(admin, { serviceUrl, agentsFolder });
  const processes: ServiceProcess[] = [];
  const common: Values = {
    databaseUrl: serviceUrl,
    roomServer: { url: rooms.url, apiKey: rooms.apiKey, apiSecret: rooms.apiSecret },
    masterKeys,
    agentsFolder,
    tenant: 'local',
  };
  const start = async (service: string, settings: Values, env: Record<string, string> = {}) => {
    const port = settings.internalPort ?? (await freeTcpPort());
    const told = variables({ ...common, ...settings, internalPort: port });
    const process = new ServiceProcess(entry(service), { ...told, ...env });
    processes.push(process);
    await eventually(`the ${service} is ready`, async () => {
      if (!process.running) throw new Error(`the process ended:\n${process.output()}`);
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
    });
    return process;
  };
  return {
    admin,
    adminUrl: postgres.adminUrl,
    serviceUrl,
    rooms,
    ...agent,
    startApi: async (settings = {}) => {
      const port = await freeTcpPort();
      await start('api', { ...settings, port, internalPort });
      return { baseUrl: `http://127.0.0.1:${port}`, apiKey: agent.apiKey };
    },
    startHost: (settings = {}, env = {}) => start('agent', settings, env),
    startWorker: async () => {
      // Without it sessions are neither reaped nor finished, which no row waits for.
      if (await exists(entry('worker'))) await start('worker', {});
    },
    listRooms: async () => (await makeRoomClient(rooms).listRooms()).map((room) => room.name),
    pids: () => processes.map((process) => process.pid),
    output: () => processes.map((process) => process.output().slice(-4_000)).join('\n---\n'),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(processes.map((process) => process[Symbol.asyncDispose]()));
      await admin.close();
      await Promise.all([postgres[Symbol.asyncDispose](), rooms[Symbol.asyncDispose]()]);
    },
  };
}

const makeRoomClient = ({ httpUrl, apiKey, apiSecret }: TestRoomServer) =>
  new RoomServiceClient(httpUrl, apiKey, apiSecret);

async function makeAgentLive(
  admin: Database,
  { serviceUrl, agentsFolder }: { serviceUrl: string; agentsFolder: string },
): Promise<Pick<BenchWorld, 'apiKey' | 'script'>> {
  const { id: tenant } = await upsertTenant(admin, { slug: 'local', name: 'Local', features: {} });
  const { agents: versions, faults } = await loadAgents(agentsFolder);
  const [version] = versions;
  if (!version) throw new Error(`${agentsFolder} cannot be used: ${JSON.stringify(faults)}`);
  const db = openDatabase(serviceUrl);
  const vault = makeVault(masterKeys);
  try {
    await publishAgents({ db, vault, notifier: makeNotifier(db) }, { tenant, versions, commit: null });
    const { apiKey } = await revealCredentials({ db, vault }, { tenant, agent: version.agent.agent });
    return { apiKey, script: version.agent.script };
  } finally {
    await db.close();
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
