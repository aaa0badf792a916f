import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { answerTo, header, type Message, parse, randomId } from './message.ts';

/** What a carrier saw of one call, by its Call-ID: an INVITE that is repeated has the same. */
export interface SeenCall {
  number: string;
  /** 486, or 487 for one that was cancelled first; undefined while it rings. */
  answered: number | undefined;
}

/** A carrier behind which everybody is busy, after they were rung for up to a second. */
export interface BusyCarrier extends Disposable {
  /** host:port */
  readonly address: string;
  /** Every call that reached it. */
  readonly calls: ReadonlyMap<string, SeenCall>;
}

const longestRingMs = 1_000;

export async function startBusyCarrier(): Promise<BusyCarrier> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const calls = new Map<string, SeenCall>();
  const answer = (to: Message, status: number, reason: string) =>
    socket.send(answerTo(to, { status, reason, tag: randomId() }), to.from.port, to.from.address);
  const ring = (invite: Message) => {
    const call: SeenCall = { number: /^INVITE sip:(\+\d+)@/.exec(invite.startLine)?.[1] ?? '', answered: undefined };
    answer(invite, 180, 'Ringing');
    setTimeout(() => finish(call, invite, 486, 'Busy Here'), Math.random() * longestRingMs);
    return { call, invite };
  };
  const finish = (call: SeenCall, invite: Message, status: number, reason: string) => {
    if (call.answered !== undefined) return;
    call.answered = status;
    answer(invite, status, reason);
  };
  const rung = new Map<string, ReturnType<typeof ring>>();
  socket.on('message', (datagram, from) => {
    const message = parse(datagram, from);
    const id = header(message, 'Call-ID');
    const known = rung.get(id);
    if (message.method === 'CANCEL') {
      answer(message, 200, 'OK');
      if (known) finish(known.call, known.invite, 487, 'Request Terminated');
    }
    if (message.method !== 'INVITE' || known) return;
    const ringing = ring(message);
    rung.set(id, ringing);
    calls.set(id, ringing.call);
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    calls,
    [Symbol.dispose]: () => socket.close(),
  };
}
