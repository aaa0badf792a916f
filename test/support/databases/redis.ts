import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { eventually } from '../eventually.ts';
import { endsWithUs } from '../world/ends-with-us.ts';

/** A real Redis of the test's own, in memory only. */
export interface TestRedis extends AsyncDisposable {
  readonly url: string;
  kill(): Promise<void>;
  /** After `kill`: again on the same port, empty. */
  start(): Promise<void>;
  pause(): void;
  resume(): void;
}

/** @param running false leaves it off until `start` */
export async function startRedis({ running = true }: { running?: boolean } = {}): Promise<TestRedis> {
  const port = await freeTcpPort();
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;
  const start = async () => {
    const child = spawn(
      ...endsWithUs('redis-server', [
        ...['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      ]),
      {
        stdio: 'ignore',
      },
    );
    await once(child, 'spawn');
    server = child;
    await eventually('Redis answers', () => answers(url));
  };
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  if (running) await start();
  return {
    url,
    start,
    kill,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    [Symbol.asyncDispose]: kill,
  };
}

async function answers(url: string): Promise<boolean> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } finally {
    redis.disconnect();
  }
}
