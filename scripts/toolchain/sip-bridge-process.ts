import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { bestEffort } from '../../services/process/best-effort.ts';
import { sleep } from '../../services/process/sleep.ts';
import { Fault } from './fault.ts';
import { exitedWithin, hasExited } from './processes.ts';
import { launch } from './unprivileged.ts';

const readyDeadlineMs = 15_000;
const pollMs = 25;
const outputKept = 4_000;

export interface SipBridgeConfig {
  /** Of signalling, UDP and TCP. */
  port: number;
  /** Of media, one port a call. */
  mediaPorts: { first: number; last: number };
  healthPort: number;
  /** host:port */
  redis: string;
  apiKey: string;
  apiSecret: string;
  /** Where the API's internal port is: the door through which it joins rooms (services/api/internal/bridge-door.ts). */
  api: { host: string; port: number };
}

export interface SipBridgeProcess {
  pid: number;
  /** Settles when it takes calls; rejects with a Fault when it ends first or does not within 15 s. */
  ready: Promise<void>;
  exited: Promise<void>;
  /** SIGTERM: takes no new calls, waits for those that it has, and ends. */
  drain(): void;
  /** SIGKILL: its calls are gone, and nobody is told. */
  kill(): Promise<void>;
}

export interface SipBridgeOptions {
  program: string;
  config: SipBridgeConfig;
  /** Where the configuration is written; it holds the secret. */
  configFile: string;
  /** The bridge dies when this process does, even by SIGKILL (Linux). */
  endsWithUs?: boolean;
  onOutput?: (chunk: Buffer) => void;
}

/** The configuration of a bridge that only this machine can reach. */
export function sipBridgeYaml({
  port,
  mediaPorts,
  healthPort,
  redis,
  apiKey,
  apiSecret,
  api,
}: SipBridgeConfig): string {
  return stringify({
    api_key: apiKey,
    api_secret: apiSecret,
    ws_url: `ws://${api.host}:${api.port}/bridge/${healthPort}`,
    redis: { address: redis },
    sip_port: port,
    rtp_port: `${mediaPorts.first}-${mediaPorts.last}`,
    health_port: healthPort,
    use_external_ip: false,
    listen_ip: '127.0.0.1',
    local_net: '127.0.0.0/8',
    nat_1_to_1_ip: '127.0.0.1',
    media_nat_1_to_1_ip: '127.0.0.1',
    // By default it takes no calls while the machine is busy, which is for its scheduler to judge.
    max_cpu_utilization: 1,
    // Every line of its about a call names the numbers of both sides, also those about errors.
    logging: { level: 'fatal', json: true },
  });
}

/** Writes the configuration and starts the bridge. */
export async function startSipBridgeProcess(options: SipBridgeOptions): Promise<SipBridgeProcess> {
  const { program, config, configFile, onOutput } = options;
  await writeFile(configFile, sipBridgeYaml(config), { mode: 0o600 });
  const command = await launch(program, ['--config', configFile], {
    whenWeDie: options.endsWithUs ? 'KILL' : undefined,
  });
  const child = spawn(command.file, command.args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
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
  };
}

async function answers(child: ChildProcess, { healthPort, port }: SipBridgeConfig, output: () => string) {
  let failure: Error | undefined;
  child.once('error', (error) => {
    failure = error;
  });
  const deadline = Date.now() + readyDeadlineMs;
  while (!(await isHealthy(healthPort))) {
    if (failure) throw new Fault(`The SIP bridge can't be run: ${failure.message}.`, { cause: failure });
    if (hasExited(child)) throw startFault(port, output());
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Fault(`The SIP bridge did not answer within ${readyDeadlineMs / 1000} s: look at its log.`);
    }
    await sleep(pollMs);
  }
}

async function isHealthy(port: number): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
}

function startFault(port: number, output: string): Fault {
  if (/address already in use/.test(output))
    return new Fault(`A port of the SIP bridge (${port} or its media's) is taken: stop what uses it.`);
  return new Fault(`The SIP bridge did not start: ${output.trim().split('\n').slice(-2).join(' ')}`);
}
