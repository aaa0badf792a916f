import { RoomAgentDispatch, RoomConfiguration, SipClient } from 'livekit-server-sdk';
import { startRedis } from '../../support/databases/redis.ts';
import { startSipBridge, type TestSipBridge } from '../../support/phone/sip-bridge.ts';
import { startRoomServer } from '../../support/rooms/room-server.ts';
import { startStockWorker } from './stock.ts';
import { stockAgentName } from './stock-agent-name.ts';

export interface StockTelephone extends AsyncDisposable {
  bridge: TestSipBridge;
  number: string;
}

const number = '+4930100099';

/** The telephone as LiveKit's documentation sets it up: a bridge, a room server that makes rooms by itself, and a rule that dispatches the stock worker. */
export async function startStockTelephone({
  idleProcesses,
  providersUrl,
}: {
  idleProcesses: number;
  providersUrl: string;
}): Promise<StockTelephone> {
  await using parts = new AsyncDisposableStack();
  const redis = parts.use(await startRedis());
  const { host } = new URL(redis.url);
  const rooms = parts.use(await startRoomServer({ redis: host, autoCreate: true }));
  const bridge = parts.use(await startSipBridge({ rooms, redis: host }));
  const client = new SipClient(rooms.httpUrl, rooms.apiKey, rooms.apiSecret);
  const { sipTrunkId } = await client.createSipInboundTrunk('stock', [number], { allowedAddresses: ['127.0.0.1'] });
  await client.createSipDispatchRule(
    { type: 'individual', roomPrefix: 'stock-' },
    {
      trunkIds: [sipTrunkId],
      roomConfig: new RoomConfiguration({ agents: [new RoomAgentDispatch({ agentName: stockAgentName })] }),
    },
  );
  parts.use(await startStockWorker({ rooms, script: undefined }, { idleProcesses, providersUrl }));
  const opened = parts.move();
  return { bridge, number, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
