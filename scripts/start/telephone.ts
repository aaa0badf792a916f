import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Database } from '../../services/store/database.ts';
import { insertNumber, listNumbersOfTrunk } from '../../services/store/tables/numbers.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';
import { findTrunkByName, insertTrunk } from '../../services/store/tables/trunks.ts';
import { Fault } from '../toolchain/fault.ts';
import { isTcpPortFree, isUdpPortFree } from '../toolchain/ports.ts';
import { exitedWithin } from '../toolchain/processes.ts';
import { sipBridgePath } from '../toolchain/sip-bridge.ts';
import { doorOf, startSipBridgeProcess } from '../toolchain/sip-bridge-process.ts';
import { installPrograms, redis } from '../toolchain/system.ts';
import { internalPorts } from './check-ports.ts';
import { type Folders, logOf, recordOf } from './folders.ts';
import type { StartOptions } from './options.ts';
import { howToChangeSipPort } from './options.ts';
import type { Parts } from './parts.ts';
import type { Secrets } from './secrets.ts';

export interface TelephoneContext {
  options: StartOptions;
  folders: Folders;
  secrets: Secrets;
  parts: Parts;
  say(line: string): void;
}

const host = '127.0.0.1';
const trunkName = 'this-machine';
/** Of the range that is given to nobody, for films and examples. */
const firstNumber = 15_550_100;
const mediaPorts = { from: 40, count: 100 };

function portsOf({ options: { sipPort } }: Pick<TelephoneContext, 'options'>) {
  if (sipPort === undefined) return undefined;
  const first = sipPort + mediaPorts.from;
  return {
    sip: sipPort,
    redis: sipPort + 1,
    health: sipPort + 2,
    media: { first, last: first + mediaPorts.count - 1 },
  };
}

/** What the room server is told of the Redis by which the SIP bridge finds it; nothing without a telephone. */
export function telephoneStoreOf(context: TelephoneContext): { redis?: string } {
  const ports = portsOf(context);
  return ports ? { redis: `${host}:${ports.redis}` } : {};
}

/** Redis, in memory: the worker tells the bridge everything anew. */
export async function startTelephoneStore(context: TelephoneContext): Promise<void> {
  const ports = portsOf(context);
  if (!ports) return;
  await requireFree(ports);
  await installPrograms([redis], 'A telephone needs', context.say);
  const args = ['--port', String(ports.redis), '--bind', host, '--save', '', '--appendonly', 'no'];
  const log = logOf(context, 'redis');
  await context.parts.supervise('database', {
    name: 'Redis',
    say: context.say,
    recordFile: recordOf(context, 'redis'),
    open: () => {
      const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => log.write(chunk));
      const stop = async () => {
        child.kill('SIGKILL');
        await exitedWithin(child, 2_000);
      };
      return {
        ...{ pid: child.pid ?? 0, stop, kill: stop },
        ready: once(child, 'spawn').then(() => undefined),
        exited: once(child, 'exit').then(() => undefined),
      };
    },
  });
}

/** The SIP bridge, and a number for each agent; gives the addresses that a softphone calls. */
export async function startTelephone(
  context: TelephoneContext,
  { db, tenant }: { db: Database; tenant: string },
  agents: readonly string[],
): Promise<Record<string, string>> {
  const ports = portsOf(context);
  if (!ports) return {};
  const { folders, secrets, parts, say } = context;
  const program = await sipBridgePath(say);
  const log = logOf(context, 'sip-bridge');
  await parts.supervise('tools', {
    name: 'The SIP bridge',
    say,
    recordFile: recordOf(context, 'sip-bridge'),
    open: async () => {
      const bridge = await startSipBridgeProcess({
        program,
        config: {
          ...{ port: ports.sip, mediaPorts: ports.media, healthPort: ports.health, redis: `${host}:${ports.redis}` },
          ...{ apiKey: secrets.roomServerKey, apiSecret: secrets.roomServerSecret },
          wsUrl: doorOf({ host, port: internalPorts(context.options).api }, ports.health),
        },
        configFile: join(folders.data, 'sip-bridge.yaml'),
        onOutput: (chunk) => log.write(chunk),
      });
      return { ...bridge, stop: () => bridge.kill() };
    },
  });
  const numbers = await numbersOf(db, tenant, agents);
  say(`The SIP bridge is ready on port ${ports.sip}.`);
  return Object.fromEntries(
    [...numbers].map(([agent, number]) => [agent, `sip:${number}@${host}:${ports.sip}`] as const),
  );
}

/** Whoever is on this machine may call; nothing may be dialled. Numbers that are there stay as they are. */
async function numbersOf(db: Database, tenant: string, agents: readonly string[]): Promise<Map<string, string>> {
  const id = await locateTenant(db, tenant);
  if (id === undefined) throw new Fault('The tenant is gone that this start has made.');
  return db.asTenant(id, async (tx) => {
    const trunk =
      (await findTrunkByName(tx, trunkName)) ??
      (await insertTrunk(tx, id, {
        ...{ id: randomUUID(), name: trunkName, address: host, transport: 'udp', managed_by: 'stack' },
        ...{ auth_username: null, auth_password: null, allowed_addresses: [host], allowed_prefixes: [] },
        ...{ max_dials_per_minute: 0, max_calls_a_day: 0, max_minutes_a_day: 0 },
      }));
    if (!trunk) throw new Fault(`The trunk ${trunkName} can't be made.`);
    const given = await listNumbersOfTrunk(tx, trunk.id);
    const numbers = new Map(given.flatMap(({ agent, number }) => (agent === null ? [] : [[agent, number] as const])));
    for (const agent of agents.filter((name) => !numbers.has(name))) {
      const number = `+${firstNumber + numbers.size + 1}`;
      const language = { language: null, hours: null, when_refused: 'busy', managed_by: 'stack' } as const;
      if (await insertNumber(tx, id, { number, trunk_id: trunk.id, agent, ...language })) numbers.set(agent, number);
    }
    return numbers;
  });
}

async function requireFree({
  sip,
  redis: store,
  health,
}: {
  sip: number;
  redis: number;
  health: number;
}): Promise<void> {
  const free = await Promise.all([isUdpPortFree(sip), isTcpPortFree(sip), isTcpPortFree(store), isTcpPortFree(health)]);
  if (free.every(Boolean)) return;
  throw new Fault(`A port of the telephone (${sip} to ${health}) is taken: choose another with ${howToChangeSipPort}.`);
}
