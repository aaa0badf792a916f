import { durationMs } from '../../services/contract/durations.ts';
import type { Tenant } from '../tenant.ts';
import { isRedundant } from './agents.ts';
import { textSessionsPerRoomServer, voiceSessionsPerRoomServer } from './measured.ts';
import type { Resources } from './resources.ts';

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

/** What only the place knows. */
export interface RoomFacts {
  /** Tenants that share nodes have their servers' ports by slots, one each; 0 where nobody shares. */
  slot: number;
  /** Whether a balancer ends TLS in front of TURN. */
  offersTurn: boolean;
  /** What servers tell clients: the node's address, or the one that a STUN server sees. */
  address: 'node' | 'discovered';
  /** Labels of the nodes that clients reach directly. */
  nodes: Readonly<Record<string, string>>;
  /** Taints of these nodes, which keep everything else away. */
  taints: readonly { key: string; value: string }[];
  /** Whether an autoscaler is told to leave a node alone as long as a server runs there: it would wait for ten minutes only. */
  holdsNode: boolean;
}

export interface RoomServerPlan extends Pick<RoomFacts, 'address' | 'nodes' | 'taints' | 'holdsNode'> {
  /** One a node. */
  replicas: number;
  ports: RoomPorts;
  resources: Resources;
  /** Whether a server that stops waits for its conversations; alone it can't, and its rooms are made anew within seconds. */
  waitsForConversations: boolean;
  /** How long a server goes on as before after it was told to stop, until nobody new is led to it. */
  preStopSeconds: number;
  graceSeconds: number;
}

/** Until hosts have given up every room that they kept ready on a server that drains: their age, and a quarter at a time. */
export const warmRoomSeconds = 300;
const marginSeconds = 60;
const restartSeconds = 5;
const preStopSeconds = 5;

/** What a server that drains waits for at most. */
export const longestSeconds = ({ longestConversation }: Pick<Tenant, 'longestConversation'>): number =>
  warmRoomSeconds + Math.ceil(durationMs(longestConversation) / 1_000);

export function planRooms({ capacity, longestConversation }: Tenant, facts: RoomFacts): RoomServerPlan {
  const { slot, offersTurn, address, nodes, taints, holdsNode } = facts;
  const needed = Math.ceil(capacity.voice / voiceSessionsPerRoomServer + capacity.text / textSessionsPerRoomServer);
  const replicas = Math.max(isRedundant(capacity) ? 2 : 1, needed);
  const waitsForConversations = replicas > 1;
  return {
    replicas,
    ports: portsOf(slot, offersTurn),
    resources: {
      cpuMilli: waitsForConversations ? 1_000 : 200,
      cpuLimitMilli: 2_000,
      memoryMib: waitsForConversations ? 1_024 : 256,
      memoryLimitMib: 2_048,
    },
    waitsForConversations,
    preStopSeconds: waitsForConversations ? preStopSeconds : 0,
    graceSeconds: waitsForConversations
      ? preStopSeconds + longestSeconds({ longestConversation }) + marginSeconds
      : restartSeconds,
    address,
    nodes,
    taints,
    holdsNode,
  };
}

const relayPorts = 400;
const portsASlot = 10;
/** Of guests: side by side, so that one rule opens those of all slots and nothing else. */
const firstGuestMedia = 20_000;

function portsOf(slot: number, turn: boolean): RoomPorts {
  const first = 7_880 + slot * portsASlot;
  const relay = 33_000 + slot * relayPorts;
  const media = slot === 0 ? first + 1 : firstGuestMedia + 2 * slot;
  return {
    signalling: first,
    mediaTcp: media,
    mediaUdp: media + 1,
    turn: turn ? first + 3 : undefined,
    metrics: first + 4,
    relay: { from: relay, to: relay + relayPorts - 1 },
  };
}

/** Media of the slots 1 to `count`. */
export const guestMediaPorts = (count: number) => ({ from: firstGuestMedia + 2, to: firstGuestMedia + 2 * count + 1 });
