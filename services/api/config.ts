import { aPort, type ProcessConfig, readMasterKeys, readProcessConfig } from '../core/process-config.ts';
import type { ColdStart } from '../core/sessions/wait-for-host.ts';
import { anAddress, aText, aWholeNumber, readEnvironment } from '../process/environment.ts';

export interface ApiConfig extends ProcessConfig {
  masterKeys: string;
  port: number;
  /** How many proxies in front of us write X-Forwarded-For; 0 where clients connect directly. */
  trustProxyHops: number;
  /** Where several replicas count requests together; without it each counts for itself. */
  redisUrl: string | undefined;
  /** How sessions wait where hosts go to zero; undefined: they are refused. */
  coldStart: ColdStart | undefined;
  /** Whose agents the try-it page offers, by slug; development only. */
  tenant: string;
}

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(environment: Record<string, string | undefined>): ApiConfig {
  const env = readEnvironment(environment);
  const coldStart: ColdStart = {
    seconds: env.optional('PARLEY_COLD_START_SECONDS', 0, 'a number of seconds, 0 to 600', aWholeNumber(0, 600)),
    most: env.optional(
      'PARLEY_COLD_START_SESSIONS',
      100,
      'a number of sessions, 1 to 100000',
      aWholeNumber(1, 100_000),
    ),
  };
  const config: ApiConfig = {
    ...readProcessConfig(env, { internalPort: 7801 }),
    masterKeys: readMasterKeys(env),
    port: env.optional('PARLEY_PORT', 7800, 'a port number', aPort),
    trustProxyHops: env.optional('PARLEY_TRUST_PROXY_HOPS', 0, 'a number of proxies, 0 to 10', aWholeNumber(0, 10)),
    redisUrl: env.optional(
      'REDIS_URL',
      undefined,
      'redis://host:port or rediss://host:port',
      anAddress('redis:', 'rediss:'),
    ),
    coldStart: coldStart.seconds > 0 ? coldStart : undefined,
    tenant: env.optional('PARLEY_TENANT', 'local', "a tenant's slug", aText),
  };
  if (config.port === config.internalPort)
    env.fault('PARLEY_PORT and PARLEY_INTERNAL_PORT hold the same port: give each its own.');
  env.finish();
  return config;
}
