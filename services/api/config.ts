import { parseMasterKeys } from '../core/credentials/vault.ts';
import { anAddress, aText, aWholeNumber, oneOf, readEnvironment } from '../core/environment.ts';
import { type LogLevel, logLevels } from '../core/logger.ts';
import type { RoomServer } from '../core/rooms/rooms.ts';

export interface ApiConfig {
  environment: 'development' | 'production';
  logLevel: LogLevel;
  databaseUrl: string;
  roomServer: RoomServer;
  masterKeys: string;
  /** Address that both ports listen on. */
  bind: string;
  port: number;
  internalPort: number;
  /** How many proxies in front of us write X-Forwarded-For; 0 where clients connect directly. */
  trustProxyHops: number;
  /** Where several replicas count requests together; without it each counts for itself. */
  redisUrl: string | undefined;
  /** Whose agents the try-it page offers, by slug; development only. */
  tenant: string;
}

const aPort = aWholeNumber(1, 65_535);

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(environment: Record<string, string | undefined>): ApiConfig {
  const env = readEnvironment(environment);
  const url = env.required(
    'LIVEKIT_URL',
    'the address of the room server, ws://… or wss://…',
    anAddress('ws:', 'wss:'),
  );
  const config: ApiConfig = {
    environment: env.optional(
      'PARLEY_ENVIRONMENT',
      'production',
      '"development" or "production"',
      oneOf('development', 'production'),
    ),
    logLevel: env.optional('PARLEY_LOG_LEVEL', 'info', `one of ${logLevels.join(', ')}`, oneOf(...logLevels)),
    databaseUrl: env.required(
      'PARLEY_DATABASE_URL',
      'postgres://role:password@host:port/database',
      anAddress('postgres:', 'postgresql:'),
    ),
    roomServer: {
      url,
      publicUrl: env.optional(
        'LIVEKIT_PUBLIC_URL',
        url,
        'the address customers connect to, ws://… or wss://…',
        anAddress('ws:', 'wss:'),
      ),
      apiKey: env.required('LIVEKIT_API_KEY', "the room server's API key", aText),
      apiSecret: env.required('LIVEKIT_API_SECRET', "the room server's API secret", aText),
    },
    masterKeys: env.required('PARLEY_MASTER_KEYS', '"k1:<base64 of 32 bytes>", several separated by commas', (text) =>
      parseMasterKeys(text) ? text : undefined,
    ),
    bind: env.optional('PARLEY_BIND', '127.0.0.1', 'an address to listen on, such as 0.0.0.0', aText),
    port: env.optional('PARLEY_PORT', 7800, 'a port number', aPort),
    internalPort: env.optional('PARLEY_INTERNAL_PORT', 7801, 'a port number', aPort),
    trustProxyHops: env.optional('PARLEY_TRUST_PROXY_HOPS', 0, 'a number of proxies, 0 to 10', aWholeNumber(0, 10)),
    redisUrl: env.optional(
      'REDIS_URL',
      undefined,
      'redis://host:port or rediss://host:port',
      anAddress('redis:', 'rediss:'),
    ),
    tenant: env.optional('PARLEY_TENANT', 'local', "a tenant's slug", aText),
  };
  if (config.port === config.internalPort)
    env.fault('PARLEY_PORT and PARLEY_INTERNAL_PORT hold the same port: give each its own.');
  env.finish();
  return config;
}
