import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freeTcpPort } from '../../../scripts/toolchain/ports.ts';
import { childrenOf, commandOf, signal } from '../../../scripts/toolchain/processes.ts';
import { eventually } from '../../support/eventually.ts';
import { endsWithUs } from '../../support/world/ends-with-us.ts';
import type { DoorAddress } from '../clients/doors.ts';
import type { BenchWorld } from '../world.ts';
import { stockAgentName } from './stock-agent-name.ts';

/** The framework's own worker on the same room server, with job processes kept ready. */
export interface StockWorker extends AsyncDisposable {
  readonly pid: number;
  door: DoorAddress;
  /** Job processes, idle ones included; not the one that all jobs share for inference. */
  jobProcesses(): Promise<number[]>;
}

export interface StockOptions {
  idleProcesses: number;
  /** Where its recognition, model and synthesis are, when it speaks; absent: it writes by the script. */
  providersUrl?: string;
}

const program = new URL('./stock-worker.ts', import.meta.url).pathname;

export async function startStockWorker(
  { rooms, script }: Pick<BenchWorld, 'rooms' | 'script'>,
  { idleProcesses, providersUrl }: StockOptions,
): Promise<StockWorker> {
  const port = await freeTcpPort();
  const output: string[] = [];
  const worker = spawn(...endsWithUs(process.execPath, [program, 'start']), {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_ENV: 'production',
      LIVEKIT_URL: rooms.url,
      LIVEKIT_API_KEY: rooms.apiKey,
      LIVEKIT_API_SECRET: rooms.apiSecret,
      // At info level it would write every text.
      LOG_LEVEL: 'warn',
      BENCH_PORT: String(port),
      BENCH_IDLE_PROCESSES: String(idleProcesses),
      ...(providersUrl
        ? { BENCH_AGENT: './stock-voice-agent.ts', BENCH_PROVIDERS_URL: providersUrl }
        : { BENCH_AGENT: './stock-agent.ts', BENCH_SCRIPT: JSON.stringify(script) }),
    },
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream?.on('data', (chunk: Buffer) => output.splice(0, output.length - 50, chunk.toString()));
  await eventually('the stock worker is registered', async () => {
    if (worker.exitCode !== null) throw new Error(`it ended: ${output.join('')}`);
    const response = await fetch(`http://127.0.0.1:${port}/`);
    return response.ok && (await jobProcessesOf(worker)).length >= idleProcesses;
  });
  return {
    pid: worker.pid ?? 0,
    door: {
      kind: 'stock',
      wsUrl: rooms.url,
      apiKey: rooms.apiKey,
      apiSecret: rooms.apiSecret,
      agentName: stockAgentName,
    },
    jobProcesses: () => jobProcessesOf(worker),
    [Symbol.asyncDispose]: () => end(worker),
  };
}

async function jobProcessesOf(worker: ChildProcess): Promise<number[]> {
  const children = await childrenOf(worker.pid ?? 0);
  const commands = await Promise.all(children.map(commandOf));
  return children.filter((_, index) => commands[index]?.includes('job_proc'));
}

/** Its own shutdown may take minutes, and nothing is lost by killing it. */
async function end(worker: ChildProcess): Promise<void> {
  const pid = worker.pid ?? 0;
  const children = await childrenOf(pid);
  const exited = once(worker, 'exit');
  if (worker.exitCode === null && worker.signalCode === null) {
    signal(pid, 'SIGKILL');
    await exited;
  }
  for (const child of children) signal(child, 'SIGKILL');
}
