/** The table of docs/operate/second-runs.md, from plans before and after each. */
import type { Consequence } from '../../infra/changes/consequences.ts';
import { consequencesOfRun, type SecondRun, secondRuns } from '../../infra/changes/second-runs.ts';
import { readTenant } from '../../infra/config.ts';
import type { Tenant } from '../../infra/tenant.ts';
import { row } from './passages.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const common = {
  domain: 'acme.example.com',
  capacity: { voice: 50, text: 500 },
  images: {
    services: `parley@${digest}`,
    roomServer: `livekit/livekit-server@${digest}`,
    database: `postgres:18@${digest}`,
    cache: `valkey/valkey@${digest}`,
    sipBridge: `livekit/sip@${digest}`,
  },
  phone: { calls: 20, carriers: ['203.0.113.16/28'] },
};
const own = {
  kubernetes: { kubernetes: { context: 'here', certificateIssuer: 'letsencrypt', nodeCidrs: ['192.0.2.0/24'] } },
  aws: { aws: { hostedZone: 'example.com' }, database: { certificateAuthority: 'rds.pem' } },
};

/** Targets that the page has a column for; another one needs none. */
type Column = keyof typeof own;

const tenantOn = (target: Column): Tenant =>
  readTenant(
    'acme',
    Object.fromEntries(
      Object.entries({ target, ...common, ...own[target] }).map(([key, value]) => [
        `parley:${key}`,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
  );

/** Rows for each run, a column for each target. */
export function secondRunsTable(): string {
  const columns: Column[] = ['kubernetes', 'aws'];
  const tenants = { kubernetes: tenantOn('kubernetes'), aws: tenantOn('aws') };
  const cell = (run: SecondRun, target: Column) =>
    run.on === undefined || run.on === target ? effects(consequencesOfRun(run, tenants[target])) : '–';
  return [
    row('You change', 'On Kubernetes', 'On AWS'),
    row('---', '---', '---').replaceAll(' ', ''),
    ...secondRuns.map((run) => row(run.what, ...columns.map((target) => cell(run, target)))),
  ].join('\n');
}

/** Parts to which the same happens are told together. */
function effects(consequences: readonly Consequence[]): string {
  if (consequences.length === 0) return 'nothing restarts, nobody notices';
  const together = Map.groupBy(consequences, effectOf);
  return [...together].map(([effect, parts]) => `${parts.map(partOf).join(', ')}: ${effect}`).join('.<br>');
}

const partOf = ({ what, replicas }: Consequence) =>
  replicas === undefined ? what : `${what} (${replicas.before} → ${replicas.after})`;

const effectOf = ({ because, way, noticed, cuts }: Consequence): string => {
  const sentence = cuts ? `**${noticed}**` : noticed;
  return because.length === 0 ? sentence : `${way}; ${sentence}`;
};
