import { execFile, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AccessToken, RoomServiceClient } from 'livekit-server-sdk';
import { parse, stringify } from 'yaml';
import { type Candidate, readOffer } from '../../../scripts/cli/doctor/checks/media.ts';
import type { TurnAccess } from '../../../scripts/cli/doctor/checks/turn.ts';
import { freeTcpPort, freeUdpPort } from '../../../scripts/toolchain/ports.ts';
import { roomServerPath } from '../../../scripts/toolchain/room-server.ts';
import { roomServerYaml } from '../../../scripts/toolchain/room-server-process.ts';
import { eventually } from '../eventually.ts';

/** A real room server with its TURN over TLS, which leads to its own media on loopback and nowhere else. */
export interface TurnServer extends AsyncDisposable {
  /** As somebody who joins is told it, at the port that it really has here. */
  access: TurnAccess;
  /** Where the room server takes media. */
  peer: Candidate;
  place: { address: string; authority: string };
}

const host = 'turn.parley.test';

export async function startTurnServer(folder: string): Promise<TurnServer> {
  const [cert, key] = [join(folder, 'turn.pem'), join(folder, 'turn-key.pem')];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert],
    ...subject,
  ]);
  const [port, tlsPort, udpPort] = [await freeTcpPort(), await freeTcpPort(), await freeUdpPort()];
  const keys = { apiKey: 'test-key', apiSecret: 'a-secret-of-more-than-32-characters-0' };
  const configuration = {
    ...parse(roomServerYaml({ port, udpPort, webhookUrls: [], ...keys })),
    turn: {
      enabled: true,
      domain: host,
      bind_addresses: ['127.0.0.1'],
      tls_port: tlsPort,
      cert_file: cert,
      key_file: key,
      relay_range_start: 33_000,
      relay_range_end: 33_399,
      allow_restricted_peer_cidrs: ['127.0.0.0/8'],
    },
  };
  const file = join(folder, 'turn-server.yaml');
  await writeFile(file, stringify(configuration));
  const server = spawn(await roomServerPath(() => undefined), ['--config', file], { stdio: 'ignore' });
  const stop = async () => void server.kill('SIGKILL');
  try {
    const { iceServers, candidates } = await eventually('the room server makes an offer', () => offerOf(port, keys));
    const peer = candidates.find(({ protocol }) => protocol === 'udp');
    const told = iceServers.find(({ urls }) => urls.some((url) => url.startsWith('turns:')));
    if (!peer || !told) throw new Error('it offers no TURN');
    const access = { ...told, url: told.urls.join().replace(':443', `:${tlsPort}`) };
    const place = { address: '127.0.0.1', authority: await readFile(cert, 'utf8') };
    return { access, peer, place, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function offerOf(port: number, { apiKey, apiSecret }: { apiKey: string; apiSecret: string }) {
  await new RoomServiceClient(`http://127.0.0.1:${port}`, apiKey, apiSecret).createRoom({ name: 'turn' });
  const token = new AccessToken(apiKey, apiSecret, { identity: 'caller' });
  token.addGrant({ roomJoin: true, room: 'turn' });
  return readOffer(`ws://127.0.0.1:${port}`, await token.toJwt());
}
