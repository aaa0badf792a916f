import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { launch } from './unprivileged.ts';

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
  /** Where it joins rooms: by an API's door (`doorOf`), as bridges of ours do. */
  wsUrl: string;
}

/** The way into rooms that an API's internal port has for the bridge (services/api/internal/bridge-door.ts). */
export const doorOf = (api: { host: string; port: number }, healthPort: number): string =>
  `ws://${api.host}:${api.port}/bridge/${healthPort}`;

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
  wsUrl,
}: SipBridgeConfig): string {
  return stringify({
    api_key: apiKey,
    api_secret: apiSecret,
    ws_url: wsUrl,
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

/** Writes the configuration and starts the bridge; killed, its calls are gone, and nobody is told. */
export async function startSipBridgeProcess(options: SipBridgeOptions): Promise<ServerProcess> {
  const { program, config, configFile, onOutput } = options;
  await writeFile(configFile, sipBridgeYaml(config), { mode: 0o600 });
  const whenWeDie = options.endsWithUs ? 'KILL' : undefined;
  return startServerProcess({
    command: await launch(program, ['--config', configFile], { whenWeDie }),
    name: 'The SIP bridge',
    url: `http://127.0.0.1:${config.healthPort}/`,
    whenTaken: `A port of the SIP bridge (${config.port} or its media's) is taken: stop what uses it.`,
    onOutput,
  });
}
