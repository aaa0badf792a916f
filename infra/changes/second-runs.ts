/** Second runs that operators make, each as a pair of plans: what follows from each stands in docs/operate/second-runs.md. Pure. */
import type { Telephone } from '../../services/contract/generated/tenant.ts';
import { planTenant } from '../plan.ts';
import { targets } from '../targets/registry.ts';
import type { Tenant } from '../tenant.ts';
import { type Consequence, consequencesOf } from './consequences.ts';
import { mark, type Part } from './part.ts';
import type { PartFolders } from './workloads.ts';

export interface SecondRun {
  /** What the operator changes. */
  what: string;
  /** Fields of the configuration in place of those of before. */
  fields?: (tenant: Tenant) => Partial<Tenant>;
  /** What stands in infra/versions.ts and is raised there: part and subject. */
  raised?: readonly (readonly [part: string, subject: string])[];
  /** Agents of the folder are others. */
  agents?: true;
  /** Targets that have it; both where it is left out. */
  on?: Tenant['target'];
}

const capacity = (voice: number, text: number) => (tenant: Tenant) => ({
  capacity: { ...tenant.capacity, voice, text },
});
const image = (what: keyof Tenant['images']) => (tenant: Tenant) => ({
  images: { ...tenant.images, [what]: `${tenant.images[what]?.split('@')[0]}@sha256:${'f'.repeat(64)}` },
});

/** A tenant with two of everything, which a production has, goes each of these ways. */
export const secondRuns: readonly SecondRun[] = [
  { what: 'more capacity (50/500 → 60/600)', fields: capacity(60, 600) },
  { what: 'less capacity (50/500 → 40/400)', fields: capacity(40, 400) },
  { what: 'much more capacity (50/500 → 500/5 000)', fields: capacity(500, 5_000) },
  { what: 'the image of the services', fields: image('services') },
  { what: 'agents of the folder', agents: true },
  { what: "the room server's version", fields: image('roomServer') },
  { what: "the SIP bridge's version", fields: image('sipBridge') },
  {
    what: 'more calls (`phone.calls`, 20 → 200)',
    fields: ({ phone }) => (phone ? { phone: { ...phone, calls: 200 } } : {}),
  },
  {
    what: 'another carrier: `phone.carriers`',
    fields: ({ phone }) => (phone ? { phone: { ...phone, carriers: ['198.51.100.0/28'] } } : {}),
  },
  {
    what: 'another number or trunk: `phone.numbers`, `phone.trunks`',
    fields: ({ phone }) => (phone ? { phone: { ...phone, ...oneNumber } } : {}),
  },
  { what: "the database's image", fields: image('database'), on: 'kubernetes' },
  {
    what: 'the version of the cluster, with its nodes and add-ons',
    raised: [
      ['cluster', 'version'],
      ['add-ons', 'versions'],
      ['add-ons', 'autoscaler'],
      ['nodes-agents', 'image'],
      ['nodes-general', 'image'],
    ],
    on: 'aws',
  },
  { what: 'add-ons alone', raised: [['add-ons', 'versions']], on: 'aws' },
  { what: 'the type of nodes for agent hosts', raised: [['nodes-agents', 'type']], on: 'aws' },
  {
    what: 'nodes for rooms, by the other colour',
    raised: [
      ['nodes-rooms-green', 'image'],
      ['rooms', 'nodes'],
    ],
    on: 'aws',
  },
  {
    what: 'nodes for rooms of the active colour (**never do it**)',
    raised: [['nodes-rooms-blue', 'image']],
    on: 'aws',
  },
  { what: "the database's version", raised: [['database', 'version']], on: 'aws' },
  {
    what: 'a restore: `database.restoreFrom`',
    fields: ({ database }) => ({ database: { ...database, restoreFrom: { snapshot: 'parley-acme-final-0a1b2c3d' } } }),
    on: 'aws',
  },
  {
    what: 'the issuer of the certificate',
    fields: ({ kubernetes }) => ({ kubernetes: { ...kubernetes, certificateIssuer: 'another' } }),
    on: 'kubernetes',
  },
  { what: 'a certificate that is renewed' },
  {
    what: 'another password of the database: `rotation.databasePassword`',
    fields: ({ rotation }) => ({ rotation: { ...rotation, databasePassword: rotation.databasePassword + 1 } }),
  },
  {
    what: "another password of the database's owner: `rotation.ownerPassword`",
    fields: ({ rotation }) => ({ rotation: { ...rotation, ownerPassword: rotation.ownerPassword + 1 } }),
  },
  {
    what: "another password of the server's own role: `rotation.serverPassword`",
    fields: ({ rotation }) => ({ rotation: { ...rotation, serverPassword: rotation.serverPassword + 1 } }),
    on: 'aws',
  },
  {
    what: 'another password of the cache: `rotation.cachePassword`',
    fields: ({ rotation }) => ({ rotation: { ...rotation, cachePassword: rotation.cachePassword + 1 } }),
  },
  {
    what: 'another key of room servers, first step: `rotation.roomKeys`',
    fields: ({ rotation }) => ({ rotation: { ...rotation, roomKeys: rotation.roomKeys + 1 } }),
  },
  {
    what: 'second step: `rotation.roomKeyInUse`',
    fields: ({ rotation }) => ({ rotation: { ...rotation, roomKeys: 2, roomKeyInUse: 2 } }),
  },
  {
    what: 'another master key: `keys.master`',
    fields: () => ({ keys: { master: `k1,k2:${Buffer.alloc(32).toString('base64')}` } }),
  },
  { what: 'a secret of `parley:secrets`', fields: () => ({ secrets: { OPENAI_API_KEY: 'another' } }) },
  { what: 'a variable of `parley:environment`', fields: () => ({ environment: { SHOP: 'another' } }) },
  { what: 'a longer `longestConversation`', fields: () => ({ longestConversation: '2h' }) },
  {
    what: '`database.storageGib`',
    fields: ({ database }) => ({ database: { ...database, storageGib: 2 * database.storageGib } }),
  },
];

const folders = (agents: string): PartFolders => ({
  agents: new Map([['desk.yaml', agents]]),
  policies: undefined,
  databaseCertificate: undefined,
});

const oneNumber: Pick<Telephone, 'trunks' | 'numbers'> = {
  trunks: [
    {
      ...{ name: 'carrier', address: 'sip.example.net', transport: 'udp', allowedAddresses: ['203.0.113.16/28'] },
      ...{ allowedPrefixes: [], maxDialsPerMinute: 0, maxCallsPerDay: 0, maxMinutesPerDay: 0 },
    },
  ],
  numbers: [{ number: '+4930123456', trunk: 'carrier', agent: 'desk', whenRefused: 'busy' }],
};

/** What follows from it for `before`. */
export function consequencesOfRun(run: SecondRun, before: Tenant): Consequence[] {
  const after = { ...before, ...run.fields?.(before) };
  const asRaised = (parts: readonly Part[]) => (run.raised ?? []).reduce(raise, parts);
  const partsOf = (tenant: Tenant, agents: string) =>
    targets[tenant.target].finish(planTenant(tenant)).parts(folders(agents));
  return consequencesOf(partsOf(before, 'one'), asRaised(partsOf(after, run.agents ? 'another' : 'one')));
}

const raise = (parts: readonly Part[], [name, subject]: readonly [string, string]): readonly Part[] =>
  parts.map((part) => {
    const was = part.from[subject];
    if (part.name !== name || was === undefined) return part;
    return { ...part, from: { ...part.from, [subject]: { ...was, value: mark([was.value, 'raised']) } } };
  });
