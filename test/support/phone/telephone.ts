import { randomUUID } from 'node:crypto';
import { openBridge } from '../../../services/core/telephony/bridge.ts';
import { insertNumber, type NewNumber } from '../../../services/store/tables/numbers.ts';
import { insertTrunk, type NewTrunk } from '../../../services/store/tables/trunks.ts';
import { startRedis, type TestRedis } from '../databases/redis.ts';
import { eventually } from '../eventually.ts';
import { startTcpProxy, type TcpProxy } from '../network/tcp-proxy.ts';
import { startRoomServer } from '../rooms/room-server.ts';
import { localSpeechVariables } from '../world/local-speech.ts';
import { startWorld, type World, type WorldOptions } from '../world/world.ts';
import { startSipBridge, type TestSipBridge } from './sip-bridge.ts';

/** A whole installation with a telephone: a real SIP bridge, and a Redis by which it and the room server find each other. */
export interface Telephone extends AsyncDisposable {
  world: World;
  bridge: TestSipBridge;
  redis: TestRedis;
  /** Between the room server and whoever is told of its events. */
  events: TcpProxy;
  /** All that its programs wrote that are not ours. */
  output(): string;
}

export async function startTelephone(options: WorldOptions = {}): Promise<Telephone> {
  const redis = await startRedis();
  const { host } = new URL(redis.url);
  let written = '';
  let events: TcpProxy | undefined;
  const world = await startWorld({
    ...options,
    env: { ...(await localSpeechVariables()), ...options.env },
    openRooms: async ({ webhookUrl = '', ...rooms }) => {
      events = await startTcpProxy(Number(new URL(webhookUrl).port));
      return startRoomServer({
        ...{ ...rooms, redis: host, webhookUrl: events.through(webhookUrl) },
        onOutput: (chunk) => {
          written += chunk;
        },
      });
    },
  });
  if (!events) throw new Error('the room server was not opened');
  const [proxy] = [events];
  const apiPort = world.apis[0]?.internalPort ?? 0;
  const bridge = await startSipBridge({ rooms: world.rooms, redis: host, apiPort });
  return {
    ...{ world, bridge, redis, events: proxy },
    output: () => written + bridge.output(),
    [Symbol.asyncDispose]: async () => {
      await bridge[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
      await redis[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

type Owner = Pick<World, 'admin' | 'tenant'>;

/** A carrier on this machine that may call in by its address; nothing may be dialled. Gives its id. */
export async function addTrunk({ admin, tenant }: Owner, trunk: Partial<NewTrunk> = {}): Promise<string> {
  const id = randomUUID();
  await insertTrunk(admin, tenant, {
    ...{ id, name: `carrier-${id.slice(0, 8)}`, address: '127.0.0.1:5060', transport: 'udp' },
    ...{ auth_username: null, auth_password: null, allowed_addresses: ['127.0.0.1'], allowed_prefixes: [] },
    ...{ max_dials_per_minute: 0, max_calls_a_day: 0, max_minutes_a_day: 0, managed_by: 'person' },
    ...trunk,
  });
  return id;
}

/** The bridge has it from our tables, with a rule: until then it rings for ever, as for a number that nobody has. */
export async function bridgeKnows(
  { world: { rooms } }: { world: Pick<World, 'rooms'> },
  number: string,
): Promise<void> {
  const bridge = openBridge(rooms);
  await eventually(`the bridge knows ${number}`, async () => {
    const { trunks, rules } = await bridge.known();
    const trunk = trunks.find(({ numbers }) => numbers.includes(number));
    return rules.some(({ trunkIds }) => trunk && trunkIds.includes(trunk.sipTrunkId));
  });
}

export async function addNumber(
  { admin, tenant }: Owner,
  number: Partial<NewNumber> & Pick<NewNumber, 'number' | 'trunk_id'>,
): Promise<void> {
  await insertNumber(admin, tenant, {
    ...{ agent: 'echo', language: null, hours: null, when_refused: 'busy', managed_by: 'person' },
    ...number,
  });
}
