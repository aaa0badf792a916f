import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import type { ServerProcess } from '../../../scripts/toolchain/server-process.ts';
import { sipBridgePath } from '../../../scripts/toolchain/sip-bridge.ts';
import { doorOf, startSipBridgeProcess } from '../../../scripts/toolchain/sip-bridge-process.ts';
import type { TestRoomServer } from '../rooms/room-server.ts';

/** Enough for the calls of a story; each takes one. */
const mediaPorts = 200;

/** A real SIP bridge of the test's own, on loopback. */
export interface TestSipBridge extends AsyncDisposable {
  readonly pid: number;
  /** Where calls are sent to. */
  readonly sip: { address: string; port: number };
  /** All that it wrote. */
  output(): string;
  /** SIGKILL: its calls are gone. */
  kill(): Promise<void>;
  /** After `kill`, or a drain: again on the same ports. */
  start(): Promise<void>;
  /** Freezes it: nothing of it runs. */
  pause(): void;
  resume(): void;
  /** 200; 503 while it waits for its last call. */
  readonly healthUrl: string;
  /** SIGTERM: it ends with its last call. Resolves when it has. */
  drain(): Promise<void>;
}

export interface TestSipBridgeOptions {
  rooms: Pick<TestRoomServer, 'url' | 'apiKey' | 'apiSecret'>;
  /** host:port */
  redis: string;
  /** Internal port of the API whose door it enters rooms by; absent: it enters them at the room server. */
  apiPort?: number;
}

export async function startSipBridge({ rooms, redis, apiPort }: TestSipBridgeOptions): Promise<TestSipBridge> {
  const program = await sipBridgePath((line) => process.stderr.write(`${line}\n`));
  const folder = await mkdtemp(join(tmpdir(), 'parley-bridge-'));
  const [port, healthPort] = [await freeTcpPort(), await freeTcpPort()];
  // Above those that freeTcpPort gives, below those that the system takes for outgoing connections.
  const first = 32_000 - mediaPorts * (1 + Math.floor(Math.random() * 20));
  const config = {
    ...{ port, healthPort, redis, mediaPorts: { first, last: first + mediaPorts - 1 } },
    ...{ apiKey: rooms.apiKey, apiSecret: rooms.apiSecret },
    wsUrl: apiPort === undefined ? rooms.url : doorOf({ host: '127.0.0.1', port: apiPort }, healthPort),
  };
  let written = '';
  const open = async (): Promise<ServerProcess> => {
    const bridge = await startSipBridgeProcess({
      ...{ program, config, configFile: join(folder, 'bridge.yaml'), endsWithUs: true },
      onOutput: (chunk) => {
        written += chunk;
      },
    });
    await bridge.ready;
    return bridge;
  };
  let bridge = await open();
  return {
    get pid() {
      return bridge.pid;
    },
    sip: { address: '127.0.0.1', port },
    output: () => written,
    kill: () => bridge.kill(),
    start: async () => {
      bridge = await open();
    },
    pause: () => bridge.pause(),
    resume: () => bridge.resume(),
    healthUrl: `http://127.0.0.1:${healthPort}/`,
    drain: () => {
      bridge.drain();
      return bridge.exited;
    },
    [Symbol.asyncDispose]: async () => {
      await bridge.kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
