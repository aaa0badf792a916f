import { anAddress, aText, aWholeNumber, readEnvironment } from '../core/environment.ts';
import { aPort, type ProcessConfig, readMasterKeys, readProcessConfig } from '../core/process-config.ts';

export interface ApiConfig extends ProcessConfig {
  masterKeys: string;
  port: number;
  /** How many proxies in front of us write X-Forwarded-For; 0 where clients connect directly. */
  trustProxyHops: number;
  /** Where several replicas count requests together; without it each counts for itself. */
  redisUrl: string | undefined;
  /** Whose agents the try-it page offers, by slug; development only. */
  tenant: string;
}

/** @throws ConfigurationError that names every variable at fault. */
export function readConfig(environment: Record<string, string | undefined>): ApiConfig {
  const env = readEnvironment(environment);
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
    tenant: env.optional('PARLEY_TENANT', 'local', "a tenant's slug", aText),
  };
  if (config.port === config.internalPort)
    env.fault('PARLEY_PORT and PARLEY_INTERNAL_PORT hold the same port: give each its own.');
  env.finish();
  return config;
}
