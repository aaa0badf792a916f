import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../../services/store/database.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy, type TcpProxy } from '../support/network/tcp-proxy.ts';
import { Customer } from '../support/people/customer.ts';
import { startRoomServer } from '../support/rooms/room-server.ts';
import { startToolServer, type ToolServer } from '../support/stand-ins/tool-server.ts';
import { startWorld, type World } from '../support/world/world.ts';
import { type Role, roles } from './faults.ts';
import { findPlaces, type Places } from './places.ts';
import { Primary } from './primary.ts';
import { Processes } from './processes.ts';
import { openWitness, type Witness } from './witness.ts';

/** What is half open is not given back by the server before the proxy gives it up. */
const postgresSettings = { max_connections: '600' };

/** Two hosts, two workers and two APIs, each with a way of its own to PostgreSQL; hosts and room server on nodes of their own. */
export interface NemesisWorld extends AsyncDisposable {
  world: World;
  places: Places;
  tools: ToolServer;
  /** Each process's way to PostgreSQL. */
  proxies: Readonly<Record<Role, TcpProxy>>;
  primary: Primary;
  processes: Processes;
  witness: Witness;
  /** Somebody who calls one API, and somebody who calls the other. */
  customers: readonly Customer[];
}

export async function startNemesisWorld(): Promise<NemesisWorld> {
  await using stack = new AsyncDisposableStack();
  const places = stack.use(await findPlaces());
  const tools = stack.use(await startToolServer());
  const owedFolder = await mkdtemp(join(tmpdir(), 'parley-owed-'));
  stack.defer(() => rm(owedFolder, { recursive: true, force: true }));
  const world = stack.use(
    await startWorld({
      ...{ hosts: 0, apis: 0, workers: 0, ownPostgres: { settings: postgresSettings } },
      settings: { owedFolder },
      env: { TEST_TOOLS_URL: await places.loopbackTo(tools.url) },
      openRooms: ({ webhookUrl = '' }) =>
        startRoomServer({ webhookUrl: webhookUrl.replace('127.0.0.1', places.address), node: places.nodes?.rooms }),
    }),
  );
  const { apiKey } = await world.credentials('echo');
  const proxyFrom = async (address?: string) => stack.use(await startTcpProxy(world.postgres.port, 0, address));
  const ways = await Promise.all(roles.map(async (role) => [role, await proxyFrom(places.address)] as const));
  const proxies = Object.fromEntries(ways) as Record<Role, TcpProxy>;
  const ours = await proxyFrom();
  const primary = stack.use(new Primary(world.postgres, [...Object.values(proxies), ours]));
  const admin = openDatabase(ours.through(world.adminUrl), { applicationName: 'nemesis' });
  stack.defer(() => admin.close());
  const witness = await openWitness(admin);
  const processes = new Processes(world, proxies, places);
  await Promise.all(roles.map((role) => processes.start(role)));
  await eventually('both hosts have warm rooms', () => witness.hostsWithRooms().then((hosts) => hosts >= 2));
  const customers = processes.apiUrls().map((url) => new Customer(url, apiKey));
  const owned = stack.move();
  const parts = { world, places, tools, proxies, primary, processes, witness, customers };
  return { ...parts, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
