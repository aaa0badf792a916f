/** The SIP bridge's own configuration file. */
import { stringify } from 'yaml';
import type { Addresses } from './plan/addresses.ts';
import type { PhonePlan } from './plan/phone.ts';
import { type RoomConfigurationSecrets, redisOf } from './room-configuration.ts';

/** What the file follows from. */
export interface BridgeConfigurationBasis {
  phone: PhonePlan;
  addresses: Pick<Addresses, 'bridgeDoorUrl'>;
}

export type BridgeConfigurationSecrets = Pick<RoomConfigurationSecrets, 'key' | 'secret'> & { cacheUrl: string };

/** Where the image of livekit/sip finds this file: it is started with `--config=/sip/config.yaml`. */
export const bridgeFile = { folder: '/sip', name: 'config.yaml' };

/** YAML; it holds secrets. */
export function bridgeConfiguration(
  { phone, addresses }: BridgeConfigurationBasis,
  { key, secret, cacheUrl }: BridgeConfigurationSecrets,
): string {
  const { ports, address, localNetwork } = phone;
  return stringify({
    api_key: key,
    api_secret: secret,
    ws_url: `${addresses.bridgeDoorUrl}/${ports.health}`,
    redis: redisOf(new URL(cacheUrl)),
    sip_port: ports.signalling,
    rtp_port: `${ports.media.from}-${ports.media.to}`,
    health_port: ports.health,
    prometheus_port: ports.metrics,
    use_external_ip: address === 'discovered',
    ...(localNetwork !== undefined && { local_net: localNetwork }),
    max_active_calls: phone.callsPerBridge,
    // By default a port whose carrier goes on sending is kept for ten minutes, and a bridge has two for each call.
    rtp_draining_duration: '60s',
    // Every line of its about a call names the numbers of both sides, also those about errors (docs/decisions/0032).
    logging: { level: 'fatal', json: true },
  });
}
