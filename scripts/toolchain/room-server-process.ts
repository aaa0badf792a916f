import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { type ServerProcess, startServerProcess } from './server-process.ts';
import { launch } from './unprivileged.ts';

export interface RoomServerConfig {
  /** REST and signalling. */
  port: number;
  /** All media of all rooms. */
  udpPort: number;
  apiKey: string;
  apiSecret: string;
  /** Further keys that it takes, with their secrets. */
  otherKeys?: Readonly<Record<string, string>>;
  /** Who is told of rooms and participants. */
  webhookUrls: readonly string[];
  /** Where it tells its figures, in Prometheus' form. Absent: nowhere. */
  metricsPort?: number;
  /** host:port of the Redis by which several servers are one. Absent: it is alone. */
  redis?: string;
  /** Whether whoever may join a room may make it; absent: no. Of servers that others than we use. */
  autoCreate?: boolean;
  /** Where it listens and is reached; loopback by default, which only this machine can reach. */
  address?: string;
  /** That has the address, unless it is loopback. */
  networkInterface?: string;
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
  otherKeys = {},
  webhookUrls,
  metricsPort,
  redis,
  autoCreate = false,
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
    keys: { ...otherKeys, [apiKey]: apiSecret },
    ...(webhookUrls.length > 0 && { webhook: { api_key: apiKey, urls: webhookUrls } }),
    // Only agent hosts make rooms: a token that outlives its session opens nothing.
    room: { auto_create: autoCreate, empty_timeout: 300, departure_timeout: 20 },
    logging: { level: 'info', json: true },
  });
}

/** Writes the configuration and starts the server. */
export async function startRoomServerProcess(options: RoomServerOptions): Promise<ServerProcess> {
  const { program, config, configFile, onOutput } = options;
  await writeFile(configFile, roomServerYaml(config), { mode: 0o600 });
  const whenWeDie = options.endsWithUs ? 'KILL' : undefined;
  const command = await launch(program, ['--config', configFile], { whenWeDie });
  const [file, args] = options.inside?.(command.file, command.args) ?? [command.file, command.args];
  return startServerProcess({
    command: { file, args },
    name: 'The room server',
    url: `http://${config.address ?? '127.0.0.1'}:${config.port}/`,
    whenTaken: `A port of the room server (${config.port} or its UDP port) is taken: stop what uses it, or choose another.`,
    onOutput,
  });
}
