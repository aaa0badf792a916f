import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { startRedis } from '../databases/redis.ts';
import { startRoomServer, type TestRoomServer, type TestRoomServerOptions } from './room-server.ts';

/** Several room servers that are one by Redis, behind one address, as a stack's Service is in front of its own. */
export interface TestRoomServers extends TestRoomServer {
  readonly members: readonly TestRoomServer[];
  /** Those to which newcomers are led. */
  inUse(): readonly TestRoomServer[];
  /** Names of the rooms that a member carries. */
  roomsOn(member: TestRoomServer): Promise<string[]>;
  /** As a pod that is deleted: nobody new is led to it, and it drains. Resolves when it has ended. */
  takeAway(member: TestRoomServer): Promise<void>;
  /** As a node that is lost: SIGKILL, and nobody new is led to it. */
  lose(member: TestRoomServer): Promise<void>;
  /** The next pod in its place: another process on the same ports. */
  bringBack(member: TestRoomServer): Promise<void>;
  /** The cache by which they know of each other is killed and started again, empty. */
  emptyCache(): Promise<void>;
}

export async function startRoomServers(count: number, options: TestRoomServerOptions): Promise<TestRoomServers> {
  const store = await startRedis();
  const apiSecret = randomBytes(32).toString('base64url');
  const { host: redis } = new URL(store.url);
  const directory = new Redis(store.url);
  const open = () => startRoomServer({ ...options, redis, apiSecret });
  const members = await Promise.all(Array.from({ length: count }, open));
  const inUse = new Set(members);
  const address = await startAddress(() => [...inUse].map(({ httpUrl }) => Number(new URL(httpUrl).port)));
  const [{ apiKey, metricsUrl }] = members as [TestRoomServer];
  const all = (work: (member: TestRoomServer) => unknown) => Promise.all(members.map(work)).then(() => undefined);
  return {
    members,
    url: `ws://127.0.0.1:${address.port}`,
    httpUrl: `http://127.0.0.1:${address.port}`,
    apiKey,
    apiSecret,
    metricsUrl,
    inUse: () => [...inUse],
    roomsOn: async (member) => {
      const node = await nodeOf(member);
      const places = Object.entries(await directory.hgetall('room_node_map'));
      return places.filter(([, place]) => place === node).map(([name]) => name);
    },
    takeAway: (member) => {
      inUse.delete(member);
      return member.drain();
    },
    lose: (member) => {
      inUse.delete(member);
      return member.kill();
    },
    bringBack: async (member) => {
      await member.start();
      inUse.add(member);
    },
    emptyCache: async () => {
      await store.kill();
      await store.start();
    },
    kill: () => all((member) => member.kill()),
    stop: () => all((member) => member.kill()),
    drain: () => all((member) => member.drain()),
    start: () => all((member) => member.start()),
    pause: () => void all((member) => member.pause()),
    resume: () => void all((member) => member.resume()),
    [Symbol.asyncDispose]: async () => {
      address.close();
      directory.disconnect();
      await all((member) => member[Symbol.asyncDispose]());
      await store[Symbol.asyncDispose]();
    },
  };
}

/** By what name a server is known to the others. */
async function nodeOf({ metricsUrl }: TestRoomServer): Promise<string> {
  const figures = await (await fetch(metricsUrl)).text();
  return /node_id="(\w+)"/.exec(figures)?.[1] ?? '';
}

/** Gives connections to those in use in turn, and looks into none; what is there stays where it is. */
async function startAddress(inUse: () => readonly number[]): Promise<{ port: number; close: () => void }> {
  let turn = 0;
  const open = new Set<Socket>();
  const server = createServer((caller) => {
    const ports = inUse();
    turn += 1;
    const member = connect(ports[turn % ports.length] ?? 0, '127.0.0.1');
    for (const [one, other] of [
      [caller, member],
      [member, caller],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
