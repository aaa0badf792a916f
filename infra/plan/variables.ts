/** What each of our processes finds in its environment. Every variable it reads is here, and none that it does not. */
import type { TenantPlan } from '../plan.ts';
import { ports } from './addresses.ts';
import { totalSessions } from './agents.ts';
import { warmRoomSeconds } from './rooms.ts';

export interface Variable {
  name: string;
  value: string | SecretKey;
}

/** A value that is kept in a Secret of the tenant's namespace. */
export interface SecretKey {
  secret: SecretName;
  key: string;
}

export type SecretName =
  | 'database'
  | 'database-admin'
  | 'database-server'
  | 'room-keys'
  | 'master-keys'
  | 'cache'
  | 'own';

/** Where files are found in our containers. */
export const mounts = {
  agents: '/etc/parley/agents',
  policies: '/etc/parley/policies',
  git: '/etc/parley/git',
  certificates: '/etc/parley/certificates',
  secrets: '/etc/parley/secrets',
};
export const gitFiles = { key: 'key', knownHosts: 'known_hosts' };

const said = (name: string, value: string | number): Variable => ({ name, value: String(value) });
const secret = (name: string, from: SecretName, key: string): Variable => ({ name, value: { secret: from, key } });

export interface Variables {
  api: Variable[];
  worker: Variable[];
  agent: Variable[];
  /** The job that runs before them. */
  prepare: Variable[];
}

export function planVariables(plan: TenantPlan): Variables {
  const { tenant, agents } = plan;
  const whose = said('PARLEY_TENANT', tenant.slug);
  const masterKeys = secret('PARLEY_MASTER_KEYS', 'master-keys', 'keys');
  return {
    api: [
      ...common(plan, ports.apiInternal),
      masterKeys,
      whose,
      said('PARLEY_PORT', ports.api),
      said('PARLEY_TRUST_PROXY_HOPS', 1),
      ...coldStart(plan),
      ...(plan.cache ? [secret('REDIS_URL', 'cache', 'url')] : []),
    ],
    worker: [
      ...common(plan, ports.workerInternal),
      masterKeys,
      whose,
      ...agentsSource(plan),
      ...ofAgents(plan),
      ...secretVariables([
        tenant.agents.token,
        tenant.agents.pushSecret,
        tenant.agents.passesSecret,
        tenant.agents.commitStatus?.token,
      ]),
    ],
    agent: [
      ...common(plan, ports.agentInternal),
      masterKeys,
      said('PARLEY_AGENT_CAPACITY', agents.sessionsPerPod),
      said('PARLEY_VOICE_CAPACITY', agents.voicePerPod),
      said('PARLEY_WARM_ROOMS', agents.warmRooms),
      said('PARLEY_WARM_ROOM_SECONDS', warmRoomSeconds),
      said('PARLEY_RETIRE_AT_MB', agents.retireAtMib),
      ...ofAgents(plan),
    ],
    prepare: [
      secret('PARLEY_DATABASE_ADMIN_URL', 'database-admin', 'url'),
      secret('PARLEY_DATABASE_URL', 'database', 'url'),
      ...(plan.database.kind === 'rds' ? [secret('PARLEY_DATABASE_SERVER_URL', 'database-server', 'url')] : []),
      whose,
      said('PARLEY_TENANT_NAME', tenant.name),
      said(
        'PARLEY_FEATURES',
        Object.entries(tenant.features)
          .flatMap(([name, on]) => (on ? [name] : []))
          .join(','),
      ),
      // Only what an invitation is sealed with.
      ...(tenant.firstOwner === undefined ? [] : [said('PARLEY_FIRST_OWNER', tenant.firstOwner), masterKeys]),
    ],
  };
}

const common = ({ tenant, addresses }: TenantPlan, internalPort: number): Variable[] => [
  said('PARLEY_ENVIRONMENT', 'production'),
  said('PARLEY_LOG_LEVEL', tenant.logLevel),
  secret('PARLEY_DATABASE_URL', 'database', 'url'),
  said('LIVEKIT_URL', addresses.roomsUrl),
  said('LIVEKIT_PUBLIC_URL', addresses.publicRoomsUrl),
  secret('LIVEKIT_API_KEY', 'room-keys', 'key'),
  secret('LIVEKIT_API_SECRET', 'room-keys', 'secret'),
  said('PARLEY_BIND', '0.0.0.0'),
  said('PARLEY_INTERNAL_PORT', internalPort),
];

/** No more wait than the fleet carries when it is there. */
const coldStart = ({ tenant: { capacity } }: TenantPlan): Variable[] => [
  said('PARLEY_COLD_START_SECONDS', capacity.coldStart === 'allowed' ? capacity.coldStartSeconds : 0),
  said('PARLEY_COLD_START_SESSIONS', totalSessions(capacity)),
];

function agentsSource({ tenant: { agents, slug } }: TenantPlan): Variable[] {
  const rules = [
    said('PARLEY_ACTIVATION', agents.activation),
    said('PARLEY_SCENARIO_MODEL', agents.scenarioModel),
    said('PARLEY_SCENARIO_SECONDS', agents.scenarioSeconds),
    ...(agents.passesSecret === undefined ? [] : [said('PARLEY_AGENTS_PASSES_SECRET_ENV', agents.passesSecret)]),
    ...(agents.policies === undefined ? [] : [said('PARLEY_POLICIES', mounts.policies)]),
  ];
  if (agents.repository === undefined) return [said('PARLEY_AGENTS_DIR', mounts.agents), ...rules];
  return [
    said('PARLEY_AGENTS_GIT_URL', agents.repository),
    said('PARLEY_AGENTS_GIT_BRANCH', agents.branch),
    said('PARLEY_AGENTS_GIT_PATH', agents.path),
    said('PARLEY_AGENTS_GIT_POLL_SECONDS', agents.pollSeconds),
    ...(agents.token === undefined
      ? []
      : [said('PARLEY_AGENTS_GIT_TOKEN_ENV', agents.token), said('PARLEY_AGENTS_GIT_TOKEN_USER', agents.tokenUser)]),
    ...(agents.pushSecret === undefined ? [] : [said('PARLEY_AGENTS_GIT_PUSH_SECRET_ENV', agents.pushSecret)]),
    ...commitStatus(agents.commitStatus, slug),
    ...(agents.sshKey === undefined
      ? []
      : [
          said('PARLEY_AGENTS_GIT_SSH_KEY_FILE', `${mounts.git}/${gitFiles.key}`),
          said('PARLEY_AGENTS_GIT_SSH_KNOWN_HOSTS_FILE', `${mounts.git}/${gitFiles.knownHosts}`),
        ]),
    ...rules,
  ];
}

const commitStatus = (status: TenantPlan['tenant']['agents']['commitStatus'], slug: string): Variable[] =>
  status === undefined
    ? []
    : [
        said('PARLEY_AGENTS_GIT_STATUS_URL', status.url),
        said('PARLEY_AGENTS_GIT_STATUS_HOST', status.host),
        said('PARLEY_AGENTS_GIT_STATUS_TOKEN_ENV', status.token),
        said('PARLEY_AGENTS_GIT_STATUS_CONTEXT', `parley/${slug}`),
      ];

/** What agents' files refer to. What opens their repository is for the worker only. */
function ofAgents({ tenant: { environment, secrets, agents } }: TenantPlan): Variable[] {
  const ofRepository = [
    agents.token,
    agents.pushSecret,
    agents.passesSecret,
    agents.sshKey,
    agents.commitStatus?.token,
  ];
  return [
    ...Object.entries(environment).map(([name, value]) => said(name, value)),
    ...secretVariables(Object.keys(secrets).filter((name) => !ofRepository.includes(name))),
  ];
}

const secretVariables = (names: readonly (string | undefined)[]): Variable[] =>
  [...new Set(names)].flatMap((name) => (name === undefined ? [] : [secret(name, 'own', name)]));
