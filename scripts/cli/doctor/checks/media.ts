/** The way that sound takes: what the room server offers a client, and whether it can be reached from here. */
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { type ICEServer, SignalResponse } from '@livekit/protocol';
import { sleep } from '../../../../services/process/sleep.ts';
import { within } from '../../../../services/process/within.ts';
import { type Finding, failed, ok, reason, skipped, warning } from './finding.ts';
import { type Ipv4, relayTo, type TurnAccess, type TurnPlace, TurnRefusal, turnAddress } from './turn.ts';

interface Offer {
  iceServers: ICEServer[];
  candidates: Candidate[];
}

export interface Candidate {
  protocol: 'udp' | 'tcp';
  address: string;
  port: number;
}

const signallingDeadlineMs = 10_000;
/** Candidates come one by one, at once for addresses that the server knows of itself. */
const candidatesComeForMs = 2_000;
const reachDeadlineMs = 5_000;

export async function checkMedia({ wsUrl, token }: { wsUrl: string; token: string }): Promise<Finding[]> {
  try {
    const { candidates, iceServers } = await readOffer(wsUrl, token);
    return [
      addressFinding(wsUrl, candidates),
      await tcpFinding(candidates),
      ...(await turnFindings(iceServers, candidates)),
    ];
  } catch (error) {
    const todo = 'Only /rtc of the public name goes to the room servers: look at the ingress or listener rule for it.';
    return [failed('voice path', `The room server's signalling can't be reached: ${reason(error)}.`, todo)];
  }
}

/** Joins far enough to be told candidates, and leaves. */
export async function readOffer(wsUrl: string, token: string): Promise<Offer> {
  const socket = new WebSocket(`${wsUrl}/rtc?access_token=${token}&protocol=15&auto_subscribe=1&sdk=js`);
  socket.binaryType = 'arraybuffer';
  const offer: Offer = { iceServers: [], candidates: [] };
  try {
    const told = new Promise<void>((resolve, reject) => {
      socket.addEventListener('error', () => reject(new Error('the connection was refused')));
      socket.addEventListener('close', () => reject(new Error('the connection was closed')));
      socket.addEventListener('message', ({ data }) => {
        const { message } = SignalResponse.fromBinary(new Uint8Array(data as ArrayBuffer));
        if (message.case === 'trickle') offer.candidates.push(...parseCandidate(message.value.candidateInit));
        if (message.case !== 'join') return;
        offer.iceServers = message.value.iceServers;
        void sleep(candidatesComeForMs).then(resolve);
      });
    });
    await within(signallingDeadlineMs + candidatesComeForMs, 'its answer', told);
    return offer;
  } finally {
    socket.close();
  }
}

/** Of a line such as `candidate:1 1 udp 2130706431 203.0.113.7 7882 typ host`. */
export function parseCandidate(init: string): Candidate[] {
  const { candidate = '' } = JSON.parse(init) as { candidate?: string };
  const [, , protocol = '', , address = '', port = ''] = candidate.split(' ');
  const known = protocol.toLowerCase();
  return known === 'udp' || known === 'tcp' ? [{ protocol: known, address, port: Number(port) }] : [];
}

const inside =
  /^(10\.|127\.|169\.254\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1|f[cd])/i;

/** Whether callers are told an address that they can reach. */
export function addressFinding(wsUrl: string, candidates: readonly Candidate[]): Finding {
  const udp = candidates.filter(({ protocol }) => protocol === 'udp');
  const told = udp.map(({ address, port }) => `${address}:${port}`).join(', ');
  if (udp.length === 0) {
    return failed('voice path', 'The room server offers no UDP address.', 'Look at rtc.udp_port of its configuration.');
  }
  const isPublic = new URL(wsUrl).protocol === 'wss:';
  if (isPublic && udp.every(({ address }) => inside.test(address))) {
    const todo = 'Set parley:kubernetes.roomAddress to discovered, or let nodes of rooms have public addresses.';
    return failed('voice path', `Callers are told ${told}, which is reached from inside only.`, todo);
  }
  return ok('voice path', `Media goes to ${told} by UDP.`);
}

async function tcpFinding(candidates: readonly Candidate[]): Promise<Finding> {
  const tcp = candidates.filter(({ protocol, address }) => protocol === 'tcp' && !address.includes(':'));
  const [one] = tcp;
  if (!one) return skipped('media by TCP', 'The room server offers none.');
  const where = `${one.address}:${one.port}`;
  try {
    await reached(connectTcp(one.port, one.address), 'connect');
    return ok('media by TCP', `${where} is reached from here.`);
  } catch (error) {
    const todo = 'Open this port to everybody: callers whose network blocks UDP use it.';
    return warning('media by TCP', `${where} is not reached from here (${reason(error)}).`, todo);
  }
}

async function turnFindings(servers: readonly ICEServer[], candidates: readonly Candidate[]): Promise<Finding[]> {
  const accesses = servers.flatMap(({ urls, username, credential }) =>
    urls.filter((url) => url.startsWith('turns:')).map((url) => ({ url, username, credential })),
  );
  if (accesses.length === 0)
    return [skipped('TURN', 'None is offered: callers behind the strictest firewalls are not heard.')];
  const peers = candidates.filter(({ protocol, address }) => protocol === 'udp' && !address.includes(':'));
  // Of addresses inside and outside a relay leads to the latter.
  const peer = peers.find(({ address }) => !inside.test(address)) ?? peers[0];
  if (!peer) return [failed('TURN', 'There is no address to lead to.', 'See the voice path.')];
  return Promise.all(accesses.map((access) => turnFinding(peer, access)));
}

/** Whether TURN over TLS gives a caller a relay, and leads from there to the room server. */
export async function turnFinding(peer: Ipv4, access: TurnAccess, place?: TurnPlace): Promise<Finding> {
  const { host, port } = turnAddress(access.url);
  try {
    const relay = await relayTo(peer, access, place);
    return ok('TURN', `${host}:${port} speaks TLS and leads by ${relay.address} to ${peer.address}:${peer.port}.`);
  } catch (error) {
    const todo =
      error instanceof TurnRefusal
        ? 'Its server answers and refuses: look at turn and rtc of the room server’s configuration.'
        : `Look at the record of ${host}, the balancer behind it and its certificate.`;
    return failed('TURN', `${host}:${port} can't be used (${reason(error)}).`, todo);
  }
}

async function reached(socket: ReturnType<typeof connectTcp>, event: string): Promise<void> {
  try {
    await within(reachDeadlineMs, 'its answer', once(socket, event));
  } finally {
    socket.destroy();
  }
}
