import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../process/clock.ts';
import { BridgeLife } from './bridge-life.ts';

/** What holds at last, or becomes true. */
const eventually = <Held>(what: string, holds: () => Held | undefined | false): Promise<Held> =>
  vi.waitFor(
    () => {
      const held = holds();
      if (!held) throw new Error(`not yet: ${what}`);
      return held;
    },
    { timeout: 20_000 },
  );

/** What answers for a bridge's health. */
class Health implements AsyncDisposable {
  readonly #server: Server;
  status = 200;
  /** It takes connections and says nothing, as a frozen process does. */
  isFrozen = false;
  looks = 0;
  lastAt = new Date(0);

  private constructor() {
    this.#server = createServer((_, response) => {
      this.looks += 1;
      if (this.isFrozen) return;
      this.lastAt = new Date();
      response.writeHead(this.status).end();
    });
  }

  static async open(): Promise<Health> {
    const health = new Health();
    health.#server.listen(0, '127.0.0.1');
    await once(health.#server, 'listening');
    return health;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }
}

const quick = { clock: systemClock, lookEveryMs: 20, answersWithinMs: 200 };

test('a bridge that refuses connections has died, and every call of it is told so, with the last proof', async () => {
  const health = await Health.open();
  const life = new BridgeLife(quick);
  const told: Date[] = [];
  for (let call = 1; call <= 2; call += 1) life.carry(health.url, (at) => told.push(at));
  await eventually('it is looked at again and again', () => health.looks >= 3);
  await health[Symbol.asyncDispose]();
  const [first] = await eventually('both are told', () => told.length === 2 && told);
  expect(first?.getTime()).toBeLessThanOrEqual(health.lastAt.getTime());
  expect(first?.getTime()).toBeGreaterThan(0);
});

test('a bridge that answers nothing three times in a row is frozen; any answer says that it lives', async () => {
  await using health = await Health.open();
  health.status = 503;
  const told: Date[] = [];
  new BridgeLife(quick).carry(health.url, (at) => told.push(at));
  await eventually('it is looked at again and again', () => health.looks >= 5);
  expect(told).toEqual([]);
  health.isFrozen = true;
  const looks = health.looks;
  await eventually('it is told', () => told.length === 1);
  expect(health.looks - looks).toBeGreaterThanOrEqual(3);
  expect(told[0]?.getTime()).toBeLessThanOrEqual(health.lastAt.getTime());
});

test('a bridge that talks is not frozen, whatever its health says', async () => {
  await using health = await Health.open();
  const told: Date[] = [];
  const call = new BridgeLife(quick).carry(health.url, (at) => told.push(at));
  await eventually('it is looked at', () => health.looks >= 1);
  health.isFrozen = true;
  const talking = setInterval(() => call.heard(), 50);
  await eventually('it is looked at in vain', () => health.looks >= 7);
  clearInterval(talking);
  expect(told).toEqual([]);
  call.leave();
});

test('where its health was never seen nothing is concluded, until a connection breaks', async () => {
  const health = await Health.open();
  const { url } = health;
  await health[Symbol.asyncDispose]();
  const told: string[] = [];
  const life = new BridgeLife({ ...quick, lookEveryMs: 1 });
  const hidden = life.carry(url, () => told.push('hidden'));
  const other = life.carry(url, () => told.push('broken'));
  other.broke();
  // As the room server ends what the bridge has broken.
  other.leave();
  await eventually('the broken one is told', () => told.length === 1);
  expect(told).toEqual(['broken']);
  hidden.leave();
});

test('a connection that ends while the bridge lives is a call that is over', async () => {
  await using health = await Health.open();
  const told: Date[] = [];
  const call = new BridgeLife(quick).carry(health.url, (at) => told.push(at));
  call.broke();
  await eventually('it was asked', () => health.looks >= 2);
  const looks = health.looks;
  await health[Symbol.asyncDispose]();
  expect(told).toEqual([]);
  expect(looks).toBeGreaterThan(0);
});
