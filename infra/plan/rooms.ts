import { durationMs } from '../../services/contract/durations.ts';
import type { Tenant } from '../config.ts';
import { isRedundant } from './agents.ts';
import { textSessionsPerRoomServer, voiceSessionsPerRoomServer } from './measured.ts';
import type { Resources } from './services.ts';

export interface RoomPorts {
  signalling: number;
  mediaTcp: number;
  mediaUdp: number;
  /** Behind a balancer that ends TLS; undefined where there is none. */
  turn: number | undefined;
  /** Where TURN meets the room server's own media, inside the network only. */
  relay: { from: number; to: number };
  metrics: number;
}

export interface RoomServerPlan {
  /** One a node. */
  replicas: number;
  ports: RoomPorts;
  resources: Resources;
  /** Whether a server that stops waits for its conversations; alone it can't, and its rooms are made anew within seconds. */
  waitsForConversations: boolean;
  /** How long a server goes on as before after it was told to stop, until nobody new is led to it. */
  preStopSeconds: number;
  graceSeconds: number;
  /** What servers tell clients: the node's address, or the one that a STUN server sees. */
  address: 'node' | 'discovered';
  /** Labels of the nodes that clients reach directly. */
  nodes: Readonly<Record<string, string>>;
}

/** Until hosts have given up every room that they kept ready on a server that drains: their age, and a quarter at a time. */
export const warmRoomSeconds = 300;
const marginSeconds = 60;
const restartSeconds = 5;
const preStopSeconds = 5;

export function planRooms(tenant: Tenant): RoomServerPlan {
  const { capacity, kubernetes, target } = tenant;
  const needed = Math.ceil(capacity.voice / voiceSessionsPerRoomServer + capacity.text / textSessionsPerRoomServer);
  const replicas = Math.max(isRedundant(capacity) ? 2 : 1, needed);
  const waitsForConversations = replicas > 1;
  const longestSeconds = Math.ceil(durationMs(tenant.longestConversation) / 1_000);
  return {
    replicas,
    ports: portsOf(slotOf(tenant), offersTurn(tenant)),
    resources: {
      cpuMilli: waitsForConversations ? 1_000 : 200,
      cpuLimitMilli: 2_000,
      memoryMib: waitsForConversations ? 1_024 : 256,
      memoryLimitMib: 2_048,
    },
    waitsForConversations,
    preStopSeconds: waitsForConversations ? preStopSeconds : 0,
    graceSeconds: waitsForConversations
      ? preStopSeconds + warmRoomSeconds + longestSeconds + marginSeconds
      : restartSeconds,
    address: target === 'aws' ? 'discovered' : kubernetes.roomAddress,
    nodes: target === 'aws' ? { 'parley.dev/nodes': 'rooms' } : kubernetes.roomNodes,
  };
}

/** Tenants of one foundation have their servers on the same nodes: each slot has ports of its own. 0 is the foundation's. */
export const slotOf = ({ foundation }: Pick<Tenant, 'foundation'>): number =>
  foundation === 'create' ? 0 : foundation.slot;

/** TURN over TLS takes a balancer of its own, which a foundation has and its guests have not. */
export const offersTurn = ({ target, foundation }: Pick<Tenant, 'target' | 'foundation'>): boolean =>
  target === 'aws' && foundation === 'create';

const relayPorts = 400;
const portsASlot = 10;

function portsOf(slot: number, turn: boolean): RoomPorts {
  const first = 7_880 + slot * portsASlot;
  const relay = 33_000 + slot * relayPorts;
  return {
    signalling: first,
    mediaTcp: first + 1,
    mediaUdp: first + 2,
    turn: turn ? first + 3 : undefined,
    metrics: first + 4,
    relay: { from: relay, to: relay + relayPorts - 1 },
  };
}

/** What a foundation opens for all its slots. */
export const slotRange = {
  signalling: { from: 7_880, to: 7_880 + 61 * portsASlot - 1 },
  relay: { from: 33_000, to: 33_000 + 61 * relayPorts - 1 },
};
