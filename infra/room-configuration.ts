/** The room server's own configuration file. */
import { stringify } from 'yaml';
import type { Addresses } from './plan/addresses.ts';
import type { RoomServerPlan } from './plan/rooms.ts';

/** What the file follows from. */
export interface RoomConfigurationBasis {
  rooms: RoomServerPlan;
  addresses: Pick<Addresses, 'turnHost' | 'roomEventsUrl'>;
}

export interface RoomConfigurationSecrets {
  /** What it signs its events with. */
  key: string;
  secret: string;
  /** Others whose requests it takes, while keys are changed. */
  known?: readonly { key: string; secret: string }[];
  /** redis://… or rediss://…; undefined for a server that is alone. */
  cacheUrl: string | undefined;
}

/** Where it finds this file. */
export const configurationFile = { folder: '/etc/livekit', name: 'livekit.yaml' };
/** Holds the node's own address, where servers tell clients that. */
export const nodeAddressVariable = 'NODE_IP';

/** What the room server is started with. */
export const roomArguments = ({ address }: RoomServerPlan): string[] => [
  '--config',
  `${configurationFile.folder}/${configurationFile.name}`,
  ...(address === 'node' ? ['--node-ip', `$(${nodeAddressVariable})`] : []),
];

const gone = { empty_timeout: 300, departure_timeout: 20 };

/** YAML for `--config`; it holds secrets. The node's address comes with `--node-ip`. */
export function roomConfiguration(
  { rooms, addresses }: RoomConfigurationBasis,
  { key, secret, cacheUrl, known = [] }: RoomConfigurationSecrets,
): string {
  const { ports, address } = rooms;
  return stringify({
    port: ports.signalling,
    rtc: {
      // One port for all media, so that a firewall has one rule.
      udp_port: ports.mediaUdp,
      tcp_port: ports.mediaTcp,
      use_external_ip: address === 'discovered',
      // Agents stay inside the network, also where clients are told an address outside of it.
      ...(address === 'discovered' ? { advertise_internal_ip: true } : {}),
    },
    ...(cacheUrl === undefined ? {} : { redis: redisOf(new URL(cacheUrl)) }),
    ...(ports.turn === undefined || addresses.turnHost === undefined
      ? {}
      : {
          turn: {
            enabled: true,
            domain: addresses.turnHost,
            tls_port: ports.turn,
            // The balancer ends TLS.
            external_tls: true,
            relay_range_start: ports.relay.from,
            relay_range_end: ports.relay.to,
          },
        }),
    // Who is in a room is asked of the server that carries it: in Redis those of a server that was lost stay for ever (1.13.5).
    api: { enable_psrpc_for_get_list_participants: true },
    keys: { ...Object.fromEntries(known.map((one) => [one.key, one.secret])), [key]: secret },
    webhook: { api_key: key, urls: [addresses.roomEventsUrl] },
    // Only agent hosts make rooms: a token that outlives its session opens nothing.
    room: { auto_create: false, ...gone },
    prometheus: { port: ports.metrics },
    logging: { level: 'info', json: true },
  });
}

/** Of `redis://…` or `rediss://…`, as LiveKit's programs have it in their files. */
export const redisOf = ({ protocol, host, username, password, pathname }: URL) => ({
  address: host,
  ...(username === '' ? {} : { username: decodeURIComponent(username) }),
  ...(password === '' ? {} : { password: decodeURIComponent(password) }),
  db: Number(pathname.slice(1) || 0),
  ...(protocol === 'rediss:' ? { tls: { enabled: true } } : {}),
});
