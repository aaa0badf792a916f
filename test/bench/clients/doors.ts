import { randomBytes } from 'node:crypto';

import { AccessToken, RoomAgentDispatch, RoomServiceClient } from 'livekit-server-sdk';
import { Customer } from '../../support/people/customer.ts';

/** Where a conversation is asked for: our API, or a room with a dispatch for a stock worker. */
export type DoorAddress =
  | { kind: 'parley'; baseUrl: string; apiKey: string }
  | { kind: 'stock'; wsUrl: string; apiKey: string; apiSecret: string; agentName: string };

export interface Opened {
  wsUrl: string;
  token: string;
  /** How often the server had no room and was asked again after the time it named. */
  refused: number;
  end(): Promise<void>;
}

export type Door = () => Promise<Opened>;

const mostAttempts = 60;

export const doorOf = (address: DoorAddress): Door =>
  address.kind === 'parley' ? parleyDoor(address) : stockDoor(address);

function parleyDoor({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Door {
  const customer = new Customer(baseUrl, apiKey);
  return async () => {
    for (let refused = 0; refused < mostAttempts; refused += 1) {
      const answer = await customer.call('POST', '/api/sessions', { body: {} });
      if (answer.status === 503) {
        await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after') ?? 1) * 1000));
        continue;
      }
      if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
      const { sessionId, wsUrl, token } = (await answer.json()) as { sessionId: string; wsUrl: string; token: string };
      return { wsUrl, token, refused, end: async () => void (await customer.endSession(sessionId)) };
    }
    throw new Error(`no session after ${mostAttempts} attempts`);
  };
}

/** One call creates the room and dispatches the agent: the shortest way that a stock worker has with explicit dispatch. */
function stockDoor({ wsUrl, apiKey, apiSecret, agentName }: Extract<DoorAddress, { kind: 'stock' }>): Door {
  const client = new RoomServiceClient(wsUrl.replace(/^ws/, 'http'), apiKey, apiSecret);
  return async () => {
    const name = `stock-${randomBytes(9).toString('base64url')}`;
    await client.createRoom({ name, emptyTimeout: 600, agents: [new RoomAgentDispatch({ agentName })] });
    const token = new AccessToken(apiKey, apiSecret, { identity: 'person', ttl: 600 });
    token.addGrant({ roomJoin: true, room: name, canPublish: true, canPublishData: true, canSubscribe: true });
    return { wsUrl, token: await token.toJwt(), refused: 0, end: () => client.deleteRoom(name) };
  };
}
