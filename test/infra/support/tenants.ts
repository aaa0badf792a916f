import { readTenant } from '../../../infra/config.ts';
import type { Tenant } from '../../../infra/tenant.ts';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;

export const images = {
  services: `registry.test/parley@${digest('a')}`,
  roomServer: `livekit/livekit-server@${digest('b')}`,
  database: `postgres:18@${digest('c')}`,
  cache: `valkey/valkey@${digest('d')}`,
};
const sipBridge = `livekit/sip@${digest('e')}`;

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
  kubernetes: { context: 'here', certificateIssuer: 'letsencrypt', nodeCidrs: ['192.168.0.0/24'] },
  environment: { DEMO_TOOLS_URL: 'https://tools.example.com' },
};

/** A tenant on one node, with `fields` in place of its own. */
export const kubernetesTenant = (fields: Record<string, unknown> = {}): Tenant =>
  readTenant('dev', asConfig({ ...smallFields, ...fields }));

/** What a telephone takes; `of`: the tenant's own images. */
export const withPhone = <Images extends Record<string, string>>(of: Images, phone: Record<string, unknown> = {}) => ({
  images: { ...of, sipBridge },
  phone: { calls: 2, carriers: ['203.0.113.16/28'], ...phone },
});

export const large = { capacity: { voice: 50, text: 500, coldStart: 'never' } };

const awsFields = {
  target: 'aws',
  domain: 'acme.example.com',
  ...large,
  images: { services: images.services, roomServer: images.roomServer },
  aws: { hostedZone: 'example.com', operatorCidrs: ['203.0.113.0/24'] },
  database: { certificateAuthority: 'rds.pem' },
  environment: { DEMO_TOOLS_URL: 'https://tools.example.com' },
};

/** A tenant with its own foundation, with `fields` in place of its own. */
export const awsTenant = (fields: Record<string, unknown> = {}): Tenant =>
  readTenant('acme', asConfig({ ...awsFields, ...fields }));

/** A small one on the foundation of `acme`. */
export const guestTenant = (fields: Record<string, unknown> = {}): Tenant =>
  readTenant(
    'guest',
    asConfig({
      ...awsFields,
      domain: 'guest.example.com',
      capacity: { voice: 5, text: 40, coldStart: 'allowed' },
      foundation: { stack: 'organization/parley/acme', slot: 3 },
      ...fields,
    }),
  );
