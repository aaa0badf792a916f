/** As much of TURN (RFC 8656) as it takes to be given a relay, and leave to reach an address through it. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';

export interface TurnAccess {
  /** `turns:turn.example.com:443?transport=tcp` */
  url: string;
  username: string;
  credential: string;
}

export interface Ipv4 {
  address: string;
  port: number;
}

/** For tests: where the name leads, and who signed its certificate. */
export interface TurnPlace {
  address?: string;
  authority?: string | undefined;
}

/** The server's own refusal. */
export class TurnRefusal extends Error {}

const deadlineMs = 5_000;
const methods = { allocate: 0x003, createPermission: 0x008 };
const attributes = {
  username: 0x0006,
  integrity: 0x0008,
  error: 0x0009,
  peer: 0x0012,
  realm: 0x0014,
  nonce: 0x0015,
  relayed: 0x0016,
  transport: 0x0019,
};
const cookie = 0x2112a442;
const headerBytes = 20;
/** The number of UDP, and three bytes that are reserved. */
const udp = Buffer.from([17, 0, 0, 0]);

type Attributes = readonly (readonly [number, Buffer])[];

export const turnAddress = (url: string): { host: string; port: number } => {
  const [, host = '', port = '443'] = /^turns:([^:?]+)(?::(\d+))?/.exec(url) ?? [];
  return { host, port: Number(port) };
};

/** By TLS: allocates a relay and asks it for the way to `peer`. @throws TurnRefusal, or what kept it from being asked */
export async function relayTo(peer: Ipv4, access: TurnAccess, place: TurnPlace = {}): Promise<Ipv4> {
  const { host, port } = turnAddress(access.url);
  const { address = host, authority } = place;
  const socket = connect({ host: address, port, servername: host, ...(authority ? { ca: authority } : {}) });
  socket.setTimeout(deadlineMs, () => socket.destroy(new Error(`no answer within ${deadlineMs / 1_000} s`)));
  try {
    const ask = asker(socket);
    const first = await ask(methods.allocate, [[attributes.transport, udp]]);
    const key = keyOf(access, first);
    const relay = granted(await ask(methods.allocate, [[attributes.transport, udp], ...key.attributes], key.secret));
    const way = [[attributes.peer, xored(peer)], ...key.attributes] as const;
    granted(await ask(methods.createPermission, way, key.secret));
    return unxored(relay.get(attributes.relayed));
  } finally {
    socket.destroy();
  }
}

interface Answer extends Map<number, Buffer> {
  refused?: boolean;
}

/** What a server of long-term credentials is asked with, out of its first refusal. */
function keyOf({ username, credential }: TurnAccess, refusal: Answer): { attributes: Attributes; secret: Buffer } {
  const [realm, nonce] = [refusal.get(attributes.realm), refusal.get(attributes.nonce)];
  if (!realm || !nonce) throw new TurnRefusal('it asks for no credentials');
  return {
    attributes: [
      [attributes.username, Buffer.from(username)],
      [attributes.realm, realm],
      [attributes.nonce, nonce],
    ],
    // MD5 is what the standard says.
    secret: createHash('md5').update(`${username}:${realm}:${credential}`).digest(),
  };
}

function granted(answer: Answer): Answer {
  if (!answer.refused) return answer;
  const error = answer.get(attributes.error) ?? Buffer.alloc(4);
  throw new TurnRefusal(`it answers ${(error[2] ?? 0) * 100 + (error[3] ?? 0)} ${error.subarray(4)}`.trim());
}

/** Asks one question at a time. */
function asker(socket: TLSSocket) {
  const messages = messagesOf(socket);
  return async (method: number, content: Attributes, secret?: Buffer): Promise<Answer> => {
    socket.write(encoded(method, content, secret));
    const { value, done } = await messages.next();
    if (done) throw new Error('the connection was closed');
    return decoded(value);
  };
}

async function* messagesOf(socket: TLSSocket): AsyncGenerator<Buffer, undefined> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    held = Buffer.concat([held, chunk as Buffer]);
    while (held.length >= headerBytes && held.length >= headerBytes + held.readUInt16BE(2)) {
      const length = headerBytes + held.readUInt16BE(2);
      yield held.subarray(0, length);
      held = held.subarray(length);
    }
  }
  return undefined;
}

function encoded(method: number, content: Attributes, secret: Buffer | undefined): Buffer {
  const body = Buffer.concat(content.map(([type, value]) => attribute(type, value)));
  const head = (length: number) => {
    const header = Buffer.alloc(8);
    header.writeUInt16BE(method, 0);
    header.writeUInt16BE(length, 2);
    header.writeUInt32BE(cookie, 4);
    return header;
  };
  const transaction = randomBytes(12);
  if (!secret) return Buffer.concat([head(body.length), transaction, body]);
  // Signed with the length that the message has with its signature.
  const signed = Buffer.concat([head(body.length + 24), transaction, body]);
  return Buffer.concat([signed, attribute(attributes.integrity, createHmac('sha1', secret).update(signed).digest())]);
}

function attribute(type: number, value: Buffer): Buffer {
  const padded = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  padded.writeUInt16BE(type, 0);
  padded.writeUInt16BE(value.length, 2);
  value.copy(padded, 4);
  return padded;
}

function decoded(message: Buffer): Answer {
  const answer: Answer = new Map();
  // The two bits of its class: 2 is well, 3 is an error.
  answer.refused = (message.readUInt16BE(0) & 0x0110) === 0x0110;
  for (let at = headerBytes; at + 4 <= message.length; ) {
    const length = message.readUInt16BE(at + 2);
    answer.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + length));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return answer;
}

const cookieBytes = Buffer.from([0x21, 0x12, 0xa4, 0x42]);
const mask = (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => byte ^ (cookieBytes[index] ?? 0)));

function xored({ address, port }: Ipv4): Buffer {
  const value = Buffer.alloc(4);
  value[1] = 1;
  value.writeUInt16BE(port ^ (cookie >>> 16), 2);
  return Buffer.concat([value, mask(Buffer.from(address.split('.').map(Number)))]);
}

function unxored(value: Buffer | undefined): Ipv4 {
  if (value?.[1] !== 1) throw new TurnRefusal('it tells no address of the relay');
  return { address: mask(value.subarray(4, 8)).join('.'), port: value.readUInt16BE(2) ^ (cookie >>> 16) };
}
