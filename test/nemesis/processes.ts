import type { TcpProxy } from '../support/network/tcp-proxy.ts';
import type { RunningService } from '../support/world/installation.ts';
import type { RunningApi, World } from '../support/world/world.ts';
import { type HostRole, isHost, type Role } from './faults.ts';
import type { Places } from './places.ts';

const wrongClock = new URL('../support/world/wrong-clock.mjs', import.meta.url).href;

/** One process in a role. */
interface Life {
  role: Role;
  process: RunningService;
  /** As PostgreSQL knows a host. */
  hostId: string | undefined;
  offMs: number;
}

/** Who is at work in each role, and who was a host in it. */
export class Processes {
  readonly #world: World;
  readonly #ways: Readonly<Record<Role, TcpProxy>>;
  readonly #places: Places;
  readonly #lives = new Map<Role, Life>();
  readonly #apis = new Map<Role, RunningApi>();
  readonly #hosts = new Map<string, HostRole>();
  /** Killed, or told to stop: that they are gone is no mistake. */
  readonly #over = new Set<string>();

  constructor(world: World, ways: Readonly<Record<Role, TcpProxy>>, places: Places) {
    this.#world = world;
    this.#ways = ways;
    this.#places = places;
  }

  /** Ready when this resolves. @param offMs of its clock */
  async start(role: Role, offMs = 0): Promise<void> {
    const process = await this.#run(role, offMs);
    const hostId = isHost(role) ? await hostIdOf(process) : undefined;
    if (hostId && isHost(role)) this.#hosts.set(hostId, role);
    this.#lives.set(role, { role, process, hostId, offMs });
  }

  /** In order, and started again with such a clock. */
  async restart(role: Role, offMs: number): Promise<void> {
    const life = this.#life(role);
    if (life.hostId) this.#over.add(life.hostId);
    await life.process.stop(60_000);
    await this.start(role, offMs);
  }

  async kill(role: Role): Promise<void> {
    const life = this.#life(role);
    if (life.hostId) this.#over.add(life.hostId);
    await life.process.kill();
  }

  signal(role: Role, name: NodeJS.Signals): void {
    this.#life(role).process.signal(name);
  }

  /** Every role has somebody at work whose clock is right. */
  async restore(): Promise<void> {
    for (const { role, process, offMs } of [...this.#lives.values()]) {
      if (!process.running) await this.start(role);
      else if (offMs !== 0) await this.restart(role, 0);
    }
  }

  /** In whose role a host lives that was not ended by us; undefined when it was. */
  aliveAs(hostId: string): HostRole | undefined {
    return this.#over.has(hostId) ? undefined : this.#hosts.get(hostId);
  }

  /** Of the API processes; they stay the same. */
  apiUrls(): string[] {
    return [...this.#apis.values()].map(({ address, port }) => `http://${address}:${port}`);
  }

  #life(role: Role): Life {
    const life = this.#lives.get(role);
    if (!life) throw new Error(`nobody was ever started as ${role}`);
    return life;
  }

  #run(role: Role, offMs: number): Promise<Life['process']> {
    const env: Record<string, string> =
      offMs === 0 ? {} : { NODE_OPTIONS: `--import=${wrongClock}`, TEST_CLOCK_OFF_MS: String(offMs) };
    const databaseUrl = this.#ways[role].through(this.#world.serviceUrl);
    if (isHost(role))
      return this.#world.startHost({ settings: { databaseUrl }, env, node: this.#places.nodes?.hosts[role] });
    if (role.startsWith('worker')) return this.#world.startWorker({ settings: { databaseUrl }, env });
    // The room server tells the first one what happens, and may be on another node.
    const bind = this.#places.nodes ? '0.0.0.0' : '127.0.0.1';
    return this.#world
      .startApi({ settings: { databaseUrl, bind }, env, inPlaceOf: this.#apis.get(role) })
      .then((api) => {
        this.#apis.set(role, api);
        return api;
      });
  }
}

async function hostIdOf({ address, internalPort }: RunningService): Promise<string> {
  const status = (await (await fetch(`http://${address}:${internalPort}/readyz`)).json()) as { host: string };
  return status.host;
}
