import { createHmac, createSecretKey } from 'node:crypto';
import type { Clock } from '../../process/clock.ts';

/** What a token lets its holder do in a room, in the room server's words (its access tokens' `video` claim). */
export interface RoomGrant {
  room: string;
  roomJoin: true;
  agent?: true;
  hidden?: true;
  canSubscribe: boolean;
  canPublish: boolean;
  canPublishData: boolean;
  canPublishSources?: ('microphone' | 'camera')[];
  canUpdateOwnMetadata: boolean;
}

export interface RoomToken {
  identity: string;
  kind?: 'agent';
  ttlSeconds: number;
  grant: RoomGrant;
}

const header = encode({ alg: 'HS256', typ: 'JWT' });

/**
 * Signs the room server's access tokens: one for every session that is created and for every join. `livekit-server-sdk` makes
 * the same with four times the CPU (20 µs, with its key made anew for each). A token holds from now by `clock`; the room server lets
 * a minute pass (tokenLeeway in its auth/verifier.go), which a wrong clock of this machine must not use up.
 */
export function tokenSigner({ apiKey, apiSecret }: { apiKey: string; apiSecret: string }, clock: Clock) {
  const key = createSecretKey(apiSecret, 'utf8');
  return ({ identity, kind, ttlSeconds, grant }: RoomToken): string => {
    const now = Math.floor(clock.now().getTime() / 1000);
    const claims = { iss: apiKey, sub: identity, nbf: now, exp: now + ttlSeconds, kind, video: grant };
    const signed = `${header}.${encode(claims)}`;
    return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
  };
}

/**
 * The same token for another identity: whose name was made by somebody else of what must not be seen. Name and metadata go. Its signature must
 * have been checked.
 */
export function renamedToken(token: string, identity: string, apiSecret: string): string {
  const [, payload = ''] = token.split('.');
  const {
    name: _,
    metadata: __,
    ...claims
  } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object & {
    name?: string;
    metadata?: string;
  };
  const signed = `${header}.${encode({ ...claims, sub: identity })}`;
  return `${signed}.${createHmac('sha256', apiSecret).update(signed).digest('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
