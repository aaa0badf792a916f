import { anAddress, aText } from '../../process/environment.ts';
import { parseRoomKeys, roomKeysText } from '../room-keys.ts';
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
    otherKeys: setting({
      name: 'PARLEY_OTHER_ROOM_KEYS',
      readBy: { api: optional },
      holds: '"key:secret", several separated by commas',
      parse: parseRoomKeys,
      write: roomKeysText,
      secret: true,
      otherwise: 'only `LIVEKIT_API_KEY` is known',
      says: 'Other keys of room servers, while keys are changed: what servers and SIP bridges sign with them is taken, too.',
    }),
  }),
};
