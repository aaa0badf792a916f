import { AccessToken, type ParticipantInfo, RoomServiceClient, TrackSource } from 'livekit-server-sdk';

export interface RoomServer {
  /** ws:// or wss:// address inside the installation. */
  url: string;
  /** The address that customers are given. */
  publicUrl: string;
  apiKey: string;
  apiSecret: string;
}

export const agentIdentity = 'agent';
export const personIdentity = 'person';

/** Rooms outlive an agent that is alone in them and a person's absence: sessions end by our own rules, which delete the room. */
const emptyTimeoutSeconds = 86_400;
const departureTimeoutSeconds = 3_600;
const requestTimeoutSeconds = 3;

export interface Rooms {
  readonly publicUrl: string;
  readonly url: string;
  create(room: string, metadata?: string): Promise<void>;
  /** Deletes the room and thereby sends everybody out. A room that is gone already is fine. */
  close(room: string): Promise<void>;
  /** Rooms by name with the number of persons in them (agents are not counted). */
  list(names?: string[]): Promise<ListedRoom[]>;
  participants(room: string): Promise<ParticipantInfo[]>;
  personToken(room: string, identity: string, options: { ttlMs: number; camera: boolean }): Promise<string>;
  agentToken(room: string): Promise<string>;
}

export interface ListedRoom {
  name: string;
  persons: number;
  createdAt: Date;
  metadata: string;
}

/** The room server by its own API and by tokens signed here. Nothing is contacted before the first call. */
export function openRooms({ url, publicUrl, apiKey, apiSecret }: RoomServer): Rooms {
  const client = new RoomServiceClient(url.replace(/^ws/, 'http'), apiKey, apiSecret, {
    requestTimeout: requestTimeoutSeconds,
  });
  return {
    url,
    publicUrl,
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
    participants: (room) => client.listParticipants(room),
    personToken: (room, identity, options) => personToken({ apiKey, apiSecret }, room, identity, options),
    agentToken: (room) => agentToken({ apiKey, apiSecret }, room),
  };
}

/** Whether the room server says that there is no such room. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'status' in error && error.status === 404;
}

type Signer = Pick<RoomServer, 'apiKey' | 'apiSecret'>;

function personToken(
  { apiKey, apiSecret }: Signer,
  room: string,
  identity: string,
  { ttlMs, camera }: { ttlMs: number; camera: boolean },
) {
  const token = new AccessToken(apiKey, apiSecret, { identity, ttl: Math.ceil(ttlMs / 1000) });
  token.addGrant({
    roomJoin: true,
    room,
    canSubscribe: true,
    canPublish: true,
    canPublishData: true,
    canPublishSources: camera ? [TrackSource.MICROPHONE, TrackSource.CAMERA] : [TrackSource.MICROPHONE],
    canUpdateOwnMetadata: true,
  });
  return token.toJwt();
}

function agentToken({ apiKey, apiSecret }: Signer, room: string) {
  const token = new AccessToken(apiKey, apiSecret, { identity: agentIdentity, ttl: 600 });
  token.kind = 'agent';
  token.addGrant({
    roomJoin: true,
    room,
    agent: true,
    canSubscribe: true,
    canPublish: true,
    canPublishData: true,
    canUpdateOwnMetadata: true,
  });
  return token.toJwt();
}
