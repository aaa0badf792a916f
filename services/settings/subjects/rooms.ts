import { anAddress, aText } from '../../process/environment.ts';
import { group, optional, required, setting } from '../setting.ts';

const services = { api: required, agent: required, worker: required } as const;
const aRoomAddress = anAddress('ws:', 'wss:');

export const rooms = {
  roomServer: group({
    url: setting({
      name: 'LIVEKIT_URL',
      readBy: services,
      holds: 'the address of the room server, ws://… or wss://…',
      parse: aRoomAddress,
      says: 'The room server as the services reach it.',
    }),
    publicUrl: setting({
      name: 'LIVEKIT_PUBLIC_URL',
      readBy: { api: optional, agent: optional, worker: optional },
      holds: 'the address customers connect to, ws://… or wss://…',
      parse: aRoomAddress,
      otherwise: 'the same as `LIVEKIT_URL`',
      says: 'The room server as customers reach it.',
    }),
    apiKey: setting({
      name: 'LIVEKIT_API_KEY',
      readBy: services,
      holds: "the room server's API key",
      parse: aText,
      secret: true,
      says: "The room server's API key.",
    }),
    apiSecret: setting({
      name: 'LIVEKIT_API_SECRET',
      readBy: services,
      holds: "the room server's API secret",
      parse: aText,
      secret: true,
      says: 'Signs the tokens with which people and agents join.',
    }),
  }),
};
