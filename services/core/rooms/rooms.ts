import { type ParticipantInfo, RoomServiceClient } from 'livekit-server-sdk';
import { type Clock, systemClock } from '../../process/clock.ts';
import type { KnownKeys } from './known-keys.ts';
import { tokenSigner } from './sign-token.ts';

export interface RoomServer extends KnownKeys {
  /** ws:// or wss:// address inside the installation. */
  url: string;
  /** The address that customers are given; undefined where it is the same. */
  publicUrl?: string | undefined;
}

export const agentIdentity = 'agent';
/** Of the agent's second connection, which nobody sees, while a successor takes its place. */
export const hiddenListenerIdentity = 'agent-ear';
export const personIdentity = 'person';

/** Rooms outlive an agent that is alone in them and a person's absence: sessions end by our own rules, which delete the room. */
const emptyTimeoutSeconds = 86_400;
const departureTimeoutSeconds = 3_600;
const requestTimeoutSeconds = 3;
/** To join with; whoever is in the room stays. */
const agentTokenSeconds = 600;

const everybody = {
  roomJoin: true,
  canSubscribe: true,
  canPublish: true,
  canPublishData: true,
  canUpdateOwnMetadata: true,
} as const;

const onlyHears = {
  roomJoin: true,
  canSubscribe: true,
  canPublish: false,
  canPublishData: false,
  canUpdateOwnMetadata: false,
} as const;

export interface Rooms {
  readonly publicUrl: string;
  readonly url: string;
  create(room: string, metadata?: string): Promise<void>;
  /** Deletes the room and thereby sends everybody out. A room that is gone already is fine. */
  close(room: string): Promise<void>;
  /** Rooms by name with the number of persons in them (agents are not counted). */
  list(names?: string[]): Promise<ListedRoom[]>;
  participants(room: string): Promise<ParticipantInfo[]>;
  /** Sends a participant out; its token lets it in again. Somebody who is gone already is fine. */
  remove(room: string, identity: string): Promise<void>;
  personToken(room: string, identity: string, options: { ttlMs: number; camera: boolean }): string;
  agentToken(room: string): string;
  /** To hear what is written in a room, without being seen and without a word. */
  earToken(room: string): string;
}

export interface ListedRoom {
  name: string;
  persons: number;
  createdAt: Date;
  metadata: string;
}

/** The room server by its own API and by tokens signed here, which begin by `clock`. Nothing is contacted before the first call. */
export function openRooms({ url, publicUrl, apiKey, apiSecret }: RoomServer, clock: Clock = systemClock): Rooms {
  const client = new RoomServiceClient(url.replace(/^ws/, 'http'), apiKey, apiSecret, {
    requestTimeout: requestTimeoutSeconds,
  });
  const sign = tokenSigner({ apiKey, apiSecret }, clock);
  return {
    url,
    publicUrl: publicUrl ?? url,
    create: async (name, metadata = '') => {
      await client.createRoom({
        name,
        metadata,
        emptyTimeout: emptyTimeoutSeconds,
        departureTimeout: departureTimeoutSeconds,
      });
    },
    close: async (room) => {
      await client.deleteRoom(room).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },
    list: async (names) =>
      (await client.listRooms(names)).map((room) => ({
        name: room.name,
        persons: room.numParticipants,
        createdAt: new Date(Number(room.creationTimeMs || room.creationTime * 1000n)),
        metadata: room.metadata,
      })),
    remove: async (room, identity) => {
      await client.removeParticipant(room, identity).catch((error: unknown) => {
        if (!isMissing(error)) throw error;
      });
    },
    participants: (room) => client.listParticipants(room),
    personToken: (room, identity, { ttlMs, camera }) =>
      sign({
        identity,
        ttlSeconds: Math.ceil(ttlMs / 1000),
        grant: { ...everybody, room, canPublishSources: camera ? ['microphone', 'camera'] : ['microphone'] },
      }),
    agentToken: (room) =>
      sign({
        identity: agentIdentity,
        kind: 'agent',
        ttlSeconds: agentTokenSeconds,
        grant: { ...everybody, room, agent: true },
      }),
    earToken: (room) =>
      sign({
        identity: hiddenListenerIdentity,
        kind: 'agent',
        ttlSeconds: agentTokenSeconds,
        grant: { ...onlyHears, room, agent: true, hidden: true },
      }),
  };
}

/** Whether the room server says that there is no such room. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 404;
}
