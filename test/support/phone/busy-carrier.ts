import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { answerTo, header, parse, randomId } from './message.ts';

/** A carrier behind which everybody is busy, after they were rung for up to a second. It counts who was called how often. */
export interface BusyCarrier extends Disposable {
  /** host:port */
  readonly address: string;
  /** Calls to a number: their Call-IDs, of which an INVITE that is repeated has the same. */
  callsTo(number: string): number;
}

const longestRingMs = 1_000;

export async function startBusyCarrier(): Promise<BusyCarrier> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const called = new Map<string, Set<string>>();
  socket.on('message', (datagram, from) => {
    const message = parse(datagram, from);
    const answer = (status: number, reason: string, tag = randomId()) =>
      socket.send(answerTo(message, { status, reason, tag }), from.port, from.address);
    if (message.method === 'CANCEL') return answer(200, 'OK');
    if (message.method !== 'INVITE') return;
    const number = /^INVITE sip:(\+\d+)@/.exec(message.startLine)?.[1] ?? '';
    const ids = called.get(number) ?? new Set();
    called.set(number, ids.add(header(message, 'Call-ID')));
    answer(180, 'Ringing');
    setTimeout(() => answer(486, 'Busy Here'), Math.random() * longestRingMs);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    callsTo: (number) => called.get(number)?.size ?? 0,
    [Symbol.dispose]: () => socket.close(),
  };
}
