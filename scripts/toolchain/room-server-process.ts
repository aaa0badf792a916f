import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { bestEffort } from '../../services/process/best-effort.ts';
import { sleep } from '../../services/process/sleep.ts';
import { Fault } from './fault.ts';
import { exitedWithin, freeze, hasExited, signal } from './processes.ts';
import { launch } from './unprivileged.ts';

const readyDeadlineMs = 15_000;
const pollMs = 25;
const outputKept = 4_000;

export interface RoomServerConfig {
  /** REST and signalling. */
  port: number;
  /** All media of all rooms. */
  udpPort: number;
  apiKey: string;
  apiSecret: string;
  /** Who is told of rooms and participants. */
  webhookUrls: readonly string[];
  /** Where it tells its figures, in Prometheus' form. Absent: nowhere. */
  metricsPort?: number;
  /** host:port of the Redis by which several servers are one. Absent: it is alone. */
  redis?: string;
  /** Where it listens and is reached; loopback by default, which only this machine can reach. */
  address?: string;
  /** That has the address, unless it is loopback. */
  networkInterface?: string;
}

export interface RoomServerProcess {
  pid: number;
  /** Settles when the server answers; rejects with a Fault when it ends first or does not answer within 15 s. */
  ready: Promise<void>;
  exited: Promise<void>;
  /** SIGTERM: takes no new rooms, waits for the participants that it has, and ends. Who asks waits for `exited`. */
  drain(): void;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** Nothing of it runs any more when this returns. */
  pause(): void;
  resume(): void;
}

export interface RoomServerOptions {
  program: string;
  config: RoomServerConfig;
  /** Where the configuration is written; it holds the secret. */
  configFile: string;
  /** The server dies when this process does, even by SIGKILL (Linux). */
  endsWithUs?: boolean;
  /** The command by which a command runs on another network; ours by default. */
  inside?: (file: string, args: readonly string[]) => [file: string, args: string[]];
  onOutput?: (chunk: Buffer) => void;
}

/** The configuration of a room server that only this machine can reach, unless it is told an address. */
export function roomServerYaml({
  port,
  udpPort,
  apiKey,
  apiSecret,
  webhookUrls,
  metricsPort,
  redis,
  address = '127.0.0.1',
  networkInterface,
}: RoomServerConfig): string {
  return stringify({
    port,
    bind_addresses: [address],
    ...(metricsPort ? { prometheus_port: metricsPort } : {}),
    rtc: {
      // Whatever bind_addresses says, a TCP port for media would listen on all addresses.
      tcp_port: 0,
      udp_port: udpPort,
      use_external_ip: false,
      node_ip: address,
      interfaces: { includes: networkInterface ? [networkInterface] : ['lo', 'lo0'] },
      enable_loopback_candidate: true,
    },
    ...(redis ? { redis: { address: redis } } : {}),
    // Who is in a room is asked of the server that carries it: in Redis those of a server that was lost stay for ever (1.13.5).
    api: { enable_psrpc_for_get_list_participants: true },
    keys: { [apiKey]: apiSecret },
    ...(webhookUrls.length > 0 && { webhook: { api_key: apiKey, urls: webhookUrls } }),
    // Only agent hosts make rooms: a token that outlives its session opens nothing.
    room: { auto_create: false, empty_timeout: 300, departure_timeout: 20 },
    logging: { level: 'info', json: true },
  });
}

/** Writes the configuration and starts the server. */
export async function startRoomServerProcess(options: RoomServerOptions): Promise<RoomServerProcess> {
  const { program, config, configFile, onOutput } = options;
  await writeFile(configFile, roomServerYaml(config), { mode: 0o600 });
  const whenWeDie = options.endsWithUs ? 'KILL' : undefined;
  const command = await launch(program, ['--config', configFile], { whenWeDie });
  const [file, args] = options.inside?.(command.file, command.args) ?? [command.file, command.args];
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = once(child, 'exit').then(() => undefined);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-outputKept);
      onOutput?.(chunk);
    });
  }
  const ready = answers(child, config, () => output);
  void bestEffort('whoever waits for it hears of it', ready);
  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    drain: () => void child.kill('SIGTERM'),
    kill: async () => {
      child.kill('SIGKILL');
      await exitedWithin(child, 5_000);
    },
    pause: () => withPid(child, freeze),
    resume: () => withPid(child, (pid) => signal(pid, 'SIGCONT')),
  };
}

function withPid(child: ChildProcess, tell: (pid: number) => void): void {
  if (child.pid !== undefined && !hasExited(child)) tell(child.pid);
}

async function answers(child: ChildProcess, { port, address }: RoomServerConfig, output: () => string): Promise<void> {
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + readyDeadlineMs;
  while (!(await isAnswering(port, address))) {
    if (failure) throw new Fault(`The room server can't be run: ${failure.message}.`, { cause: failure });
    if (hasExited(child)) throw startFault(port, output());
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Fault(`The room server did not answer within ${readyDeadlineMs / 1000} s: look at its log.`);
    }
    await sleep(pollMs);
  }
}

async function isAnswering(port: number, address = '127.0.0.1'): Promise<boolean> {
  try {
    return (await fetch(`http://${address}:${port}/`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

function startFault(port: number, output: string): Fault {
  if (/address already in use/.test(output)) {
    return new Fault(
      `A port of the room server (${port} or its UDP port) is taken: stop what uses it, or choose another.`,
    );
  }
  return new Fault(`The room server did not start: ${output.trim().split('\n').slice(-2).join(' ')}`);
}
