import { RoomServiceClient } from 'livekit-server-sdk';
import { freeTcpPort } from '../../scripts/toolchain/ports.ts';
import type { CompiledScript } from '../../services/agent-files/definition/compiled.ts';
import type { Values } from '../../services/settings/settings.ts';
import { variables } from '../../services/settings/write.ts';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { migrate } from '../../services/store/migrate.ts';
import { upsertTenant } from '../../services/store/tables/tenants.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import { startRoomServer, type TestRoomServer } from '../support/rooms/room-server.ts';
import {
  credentialsOf,
  programOf,
  publishFolder,
  type RunningService,
  runService,
  type ServiceName,
  settingsOf,
  whenReady,
} from '../support/world/installation.ts';
import type { ServiceProcess } from '../support/world/service-process.ts';

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
  tenant: string;
  /** Of the API that `startApi` starts first: where the SIP bridge has its door. */
  internalPort: number;
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

export interface BenchWorldOptions {
  /** Holds the one agent that is live. Default: the one that repeats texts. */
  agentsFolder?: string;
  /** host:port of the Redis by which the SIP bridge finds the room server. */
  redis?: string;
}

/**
 * The product as it runs in production, on a PostgreSQL that writes to disk before it says so, with the benchmarks' agent
 * live. Processes are started one by one; all are gone when the world is disposed of.
 */
export async function startBenchWorld({
  agentsFolder = writtenAgents,
  redis,
}: BenchWorldOptions = {}): Promise<BenchWorld> {
  const internalPort = await freeTcpPort();
  const [postgres, rooms] = await Promise.all([
    startPostgres({ fsync: true, settings: { 'parley.check_keys': 'off' } }),
    startRoomServer({ webhookUrl: `http://127.0.0.1:${internalPort}/room-events`, ...(redis ? { redis } : {}) }),
  ]);
  const serviceUrl = `postgres://parley_service:for-benchmarks@127.0.0.1:${postgres.port}/postgres`;
  await migrate({ adminUrl: postgres.adminUrl, serviceUrl });
  const admin = openDatabase(postgres.adminUrl);
  const agent = await makeAgentLive(admin, { serviceUrl, agentsFolder });
  const processes: RunningService[] = [];
  const common = settingsOf({ serviceUrl, rooms, agentsFolder, masterKeys });
  const start = async (service: ServiceName, settings: Values, env: Record<string, string> = {}) => {
    const port = settings.internalPort ?? (await freeTcpPort());
    const process = runService(programOf(service), { ...variables({ ...common, ...settings }), ...env }, port);
    processes.push(process);
    await whenReady(process);
    return process;
  };
  return {
    admin,
    adminUrl: postgres.adminUrl,
    serviceUrl,
    rooms,
    internalPort,
    ...agent,
    startApi: async (settings = {}) => {
      const port = await freeTcpPort();
      await start('api', { ...settings, port, internalPort });
      return { baseUrl: `http://127.0.0.1:${port}`, apiKey: agent.apiKey };
    },
    startHost: (settings = {}, env = {}) => start('agent', settings, env),
    startWorker: async () => void (await start('worker', {})),
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
): Promise<Pick<BenchWorld, 'tenant' | 'apiKey' | 'script'>> {
  const { id: tenant } = await upsertTenant(admin, { slug: 'local', name: 'Local', features: {} });
  const owner = { serviceUrl, masterKeys, tenant };
  const [agent] = await publishFolder(owner, agentsFolder);
  if (!agent) throw new Error(`there is no agent in ${agentsFolder}`);
  const { apiKey } = await credentialsOf(owner, agent.agent);
  return { tenant, apiKey, script: agent.script };
}
