import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeTcpPort, freeUdpPort } from '../../../scripts/toolchain/ports.ts';
import { roomServerPath } from '../../../scripts/toolchain/room-server.ts';
import { startRoomServerProcess } from '../../../scripts/toolchain/room-server-process.ts';
import type { Node } from '../network/nodes.ts';

/** A real room server of the test's own, on loopback only, or on a node of the test's own. */
export interface TestRoomServer extends AsyncDisposable {
  /** ws://…; stays the same over `kill` and `start`. */
  readonly url: string;
  readonly httpUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  /** Its own figures, in Prometheus' form. */
  readonly metricsUrl: string;
  /** SIGKILL: every room and connection is gone. */
  kill(): Promise<void>;
  /** The same as `kill`: on SIGTERM the server would wait for its participants. */
  stop(): Promise<void>;
  /** SIGTERM. Resolves when the last participant has left and the server has ended. */
  drain(): Promise<void>;
  /** After `kill`: again on the same ports and with the same key. */
  start(): Promise<void>;
  /** Freezes the server. */
  pause(): void;
  resume(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TestRoomServerOptions {
  webhookUrl?: string;
  webhookUrls?: readonly string[];
  /** host:port of the Redis by which it is one with others, which share its secret. */
  redis?: string;
  apiSecret?: string;
  /** As servers are by default; ours are not. */
  autoCreate?: boolean;
  /** Further keys that it takes, with their secrets. */
  otherKeys?: Readonly<Record<string, string>>;
  onOutput?: (chunk: Buffer) => void;
  /** Of a network of the test's own on which it runs; this machine by default. */
  node?: Node | undefined;
}

/** Starts a room server. It dies with the test process, whatever kills that. */
export async function startRoomServer({
  webhookUrl,
  webhookUrls = webhookUrl ? [webhookUrl] : [],
  redis,
  node,
  onOutput,
  autoCreate = false,
  otherKeys = {},
  apiSecret = randomBytes(32).toString('base64url'),
}: TestRoomServerOptions = {}): Promise<TestRoomServer> {
  const program = await roomServerPath((line) => process.stderr.write(`${line}\n`));
  const [folder, port, udpPort, metricsPort] = await Promise.all([
    mkdtemp(join(tmpdir(), 'parley-rooms-')),
    freeTcpPort(),
    freeUdpPort(),
    freeTcpPort(),
  ]);
  const apiKey = 'test-key';
  const address = node?.address ?? '127.0.0.1';
  const place = node && { address, networkInterface: node.networkInterface };
  const config = {
    port,
    udpPort,
    apiKey,
    apiSecret,
    otherKeys,
    autoCreate,
    webhookUrls,
    metricsPort,
    ...(redis ? { redis } : {}),
    ...place,
  };
  const within = { ...(node && { inside: node.inside }), ...(onOutput && { onOutput }) };
  const configFile = join(folder, 'rooms.yaml');
  const open = async () => {
    const opened = await startRoomServerProcess({ program, config, configFile, endsWithUs: true, ...within });
    await opened.ready;
    return opened;
  };
  let server = await open();
  return {
    url: `ws://${address}:${port}`,
    httpUrl: `http://${address}:${port}`,
    metricsUrl: `http://${address}:${metricsPort}/metrics`,
    apiKey,
    apiSecret,
    kill: () => server.kill(),
    stop: () => server.kill(),
    drain: () => {
      server.drain();
      return server.exited;
    },
    start: async () => {
      server = await open();
    },
    pause: () => server.pause(),
    resume: () => server.resume(),
    [Symbol.asyncDispose]: async () => {
      await server.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
