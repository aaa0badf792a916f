import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy that fails as networks do. It stands between a process and PostgreSQL (or anything else that speaks TCP), one proxy for
 * each way whose faults are to be of its own.
 *
 * | Fault | Connections that are open | New ones | In the world |
 * |---|---|---|---|
 * | `cut` | both sides hear that they are closed | go through | a restart of the server, a proxy that is rolled over |
 * | `refuse` | as they are | are closed at once | nobody listens |
 * | `halfOpen` | stay open on both sides for ever: bytes are lost, no end of one side reaches the other | go through | a failover, or a lost node, without RST or FIN |
 * | `partition` | as `halfOpen` | are accepted and hear nothing | a firewall that drops; a node without network |
 * | `stall` | bytes and ends are kept, and delivered by `heal` | the same | a partition that is shorter than TCP's patience |
 * | `delay` | every byte and end comes that much later | the same | a slow network |
 *
 * What it cannot show: it takes bytes of half-open connections, so the kernel of either side sees them acknowledged, and neither
 * retransmission nor TCP's keep-alive notices anything. Whoever is to notice must ask for an answer.
 */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The same address, by way of this proxy. */
  through(url: string): string;
  /** Connections that whoever connected has not ended. */
  readonly open: number;
  cut(): void;
  refuse(): void;
  halfOpen(): void;
  partition(): void;
  stall(): void;
  delay(ms: number): void;
  /** New connections go through, without delay, and what was stalled goes on. What is half open stays so. */
  heal(): void;
  /** What is half open ends at last, on both sides: TCP's patience is over. */
  giveUp(): void;
  /** New connections go there: with `halfOpen` before, a failover. */
  aim(port: number): void;
}

type Mode = 'pass' | 'refuse' | 'partition' | 'stall';

/** To the port `target` of this machine. @param port of the proxy itself; a free one by default. @param address at which it listens */
export async function startTcpProxy(target: number, port = 0, address = '127.0.0.1'): Promise<TcpProxy> {
  let mode: Mode = 'pass';
  let delayMs = 0;
  let aimed = target;
  const links = new Set<Link>();
  /** Whoever connected has gone, and the target may not have heard of it. */
  const gone = new Set<Link>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    if (mode === 'refuse') return void near.destroy();
    const link = new Link(near, aimed, (it) => {
      links.delete(it);
      gone.add(it);
    });
    links.add(link);
    link.delayMs = delayMs;
    if (mode === 'partition') link.lose();
    if (mode === 'stall') link.stall();
  });
  server.listen(port, address);
  await once(server, 'listening');
  const own = (server.address() as AddressInfo).port;
  const forAll = (fault: (link: Link) => void) => [...links].forEach(fault);
  return {
    port: own,
    through: (url) => {
      const way = new URL(url);
      [way.hostname, way.port] = [address, String(own)];
      return way.href;
    },
    get open() {
      return links.size;
    },
    cut: () => forAll((link) => link.destroy()),
    refuse: () => {
      mode = 'refuse';
    },
    halfOpen: () => forAll((link) => link.lose()),
    partition: () => {
      mode = 'partition';
      forAll((link) => link.lose());
    },
    stall: () => {
      mode = 'stall';
      forAll((link) => link.stall());
    },
    delay: (ms) => {
      delayMs = ms;
      forAll((link) => {
        link.delayMs = ms;
      });
    },
    heal: () => {
      mode = 'pass';
      delayMs = 0;
      forAll((link) => link.resume());
    },
    giveUp: () => {
      for (const link of [...links, ...gone]) if (link.isLost) link.destroy();
    },
    aim: (to) => {
      aimed = to;
    },
    [Symbol.asyncDispose]: async () => {
      for (const link of [...links, ...gone]) link.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One connection: `near` to whoever connected, `far` to the target. */
class Link {
  delayMs = 0;
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #onGone: (link: Link) => void;
  #isLost = false;
  /** What waits for `resume`. */
  #stalled: (() => void)[] | undefined;
  #lastDueMs = 0;

  constructor(near: Socket, port: number, onGone: (link: Link) => void) {
    this.#near = near;
    this.#onGone = onGone;
    this.#far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.#join(near, this.#far);
    this.#join(this.#far, near);
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  lose(): void {
    this.#isLost = true;
  }

  stall(): void {
    this.#stalled ??= [];
  }

  resume(): void {
    this.delayMs = 0;
    const stalled = this.#stalled ?? [];
    this.#stalled = undefined;
    for (const pass of stalled) pass();
  }

  destroy(): void {
    this.#near.destroy();
    this.#far.destroy();
    this.#onGone(this);
  }

  #join(from: Socket, to: Socket): void {
    from.on('data', (chunk) => this.#pass(() => void to.write(chunk)));
    from.on('end', () => this.#pass(() => void to.end()));
    // An error is followed by the close.
    from.on('error', () => undefined);
    from.on('close', () => this.#pass(() => void to.destroySoon()));
    if (from === this.#near) for (const event of ['end', 'close']) from.once(event, () => this.#onGone(this));
  }

  /** In order, whatever becomes of the delay. */
  #pass(work: () => void): void {
    if (this.#isLost) return;
    if (this.#stalled) return void this.#stalled.push(() => this.#pass(work));
    const nowMs = performance.now();
    const dueMs = Math.max(nowMs + this.delayMs, this.#lastDueMs);
    if (dueMs <= nowMs) return work();
    this.#lastDueMs = dueMs;
    setTimeout(() => !this.#isLost && work(), dueMs - nowMs);
  }
}
