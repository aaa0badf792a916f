import type { TestPostgres } from '../support/databases/postgres.ts';
import type { TcpProxy } from '../support/network/tcp-proxy.ts';

type Standby = Awaited<ReturnType<TestPostgres['addStandby']>>;

/** The server that everybody writes to, and the synchronous standby that may take its place. */
export class Primary implements AsyncDisposable {
  readonly #ways: readonly TcpProxy[];
  readonly #standbys: Standby[] = [];
  readonly #stopped: TestPostgres[] = [];
  #server: TestPostgres;
  #standby: Standby | undefined;

  /** @param ways to it, of everybody; they lead elsewhere after a promotion */
  constructor(server: TestPostgres, ways: readonly TcpProxy[]) {
    this.#server = server;
    this.#ways = ways;
  }

  /** Restarts the server once, if it has no standby yet. */
  async withStandby(): Promise<void> {
    if (this.#standby) return;
    this.#standby = await this.#server.addStandby();
    this.#standbys.push(this.#standby);
  }

  /** The node of the old server is lost: it answers nobody, and nobody hears of an end. */
  async failOver(): Promise<void> {
    if (!this.#standby) throw new Error('there is no standby: ask for one first');
    const [old, next] = [this.#server, this.#standby];
    await old.pause();
    this.#stopped.push(old);
    for (const way of this.#ways) {
      way.halfOpen();
      way.aim(next.port);
    }
    [this.#server, this.#standby] = [next, undefined];
    await next.promote();
  }

  /** All but the first, which is its owner's, who resumes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#stopped) await server.resume();
    for (const standby of this.#standbys.reverse()) await standby[Symbol.asyncDispose]();
  }
}
