import { readTenant, type Tenant } from '../../infra/config.ts';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

export const images = {
  services: `registry.test/parley@${digest('a')}`,
  roomServer: `livekit/livekit-server@${digest('b')}`,
  database: `postgres@${digest('c')}`,
  cache: `valkey/valkey@${digest('d')}`,
};

/** A configuration as the engine gives it: texts, maps as JSON. */
export const asConfig = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      `parley:${key}`,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

export const smallFields = {
  target: 'kubernetes',
  domain: 'dev.example.com',
  capacity: { voice: 2, text: 20, coldStart: 'never' },
  images,
  kubernetes: { certificateIssuer: 'letsencrypt' },
};

/** A tenant on one node, with `fields` in place of its own. */
export const kubernetesTenant = (fields: Record<string, unknown> = {}): Tenant =>
  readTenant('dev', asConfig({ ...smallFields, ...fields }));

export const large = { capacity: { voice: 50, text: 500, coldStart: 'never' } };
