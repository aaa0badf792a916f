/** What each of our processes finds in its environment: every setting that it reads, and none that it does not. */
import type { DeclaredTelephone } from '../../services/contract/declared-telephone.ts';
import type { Planned } from '../../services/settings/settings.ts';
import { isForAgents } from '../../services/settings/subjects/agent-variables.ts';
import { type PlannedVariable, plannedVariables } from '../../services/settings/write.ts';
import type { Tenant } from '../tenant.ts';
import { type Addresses, ports } from './addresses.ts';
import { type AgentFleetPlan, totalSessions } from './agents.ts';
import type { DatabasePlan } from './database.ts';
import { warmRoomSeconds } from './rooms.ts';

export type Variable = PlannedVariable<SecretKey>;

/** A value that is kept in a Secret of the tenant's namespace. */
export interface SecretKey {
  secret: SecretName;
  key: string;
}

export type SecretName =
  | 'database'
  | 'database-admin'
  | 'database-server'
  | 'database-guests'
  | 'room-keys'
  | 'master-keys'
  | 'people-keys'
  | 'cache'
  | 'own';

/** Where files are found in our containers. */
export const mounts = {
  agents: '/etc/parley/agents',
  policies: '/etc/parley/policies',
  git: '/etc/parley/git',
  certificates: '/etc/parley/certificates',
  /** What conversations owe the database while that is away. */
  owed: '/var/lib/parley/owed',
  /** A file for each variable that is secret. */
  variables: '/etc/parley/variables',
};
export const gitFiles = { key: 'key', knownHosts: 'known_hosts' };

export interface Variables {
  api: Variable[];
  worker: Variable[];
  agent: Variable[];
  /** The job that runs before them. */
  prepare: Variable[];
}

type Told<Process extends keyof Variables> = Planned<Process, SecretKey>;

const kept = (secret: SecretName, key: string): SecretKey => ({ secret, key });
const databaseUrl = kept('database', 'url');
const masterKeys = kept('master-keys', 'keys');
const peopleKeys = kept('people-keys', 'keys');

/** What variables follow from. */
export interface VariablesBasis {
  tenant: Tenant;
  agents: AgentFleetPlan;
  database: DatabasePlan;
  cache: object | undefined;
  addresses: Addresses;
}

export function planVariables(plan: VariablesBasis): Variables {
  const { tenant } = plan;
  return {
    api: plannedVariables<'api', SecretKey>('api', toldApi(plan)),
    worker: [
      ...plannedVariables<'worker', SecretKey>('worker', toldWorker(plan)),
      ...ofAgents(plan),
      ...secretVariables([
        tenant.agents.token,
        tenant.agents.writeToken,
        tenant.agents.pushSecret,
        tenant.agents.passesSecret,
        tenant.agents.commitStatus?.token,
      ]),
    ],
    agent: [...plannedVariables<'agent', SecretKey>('agent', toldAgent(plan)), ...ofAgents(plan)],
    prepare: plannedVariables<'prepare', SecretKey>('prepare', toldPreparation(plan)),
  };
}

const roomServerOf = ({ addresses }: VariablesBasis) => ({
  url: addresses.roomsUrl,
  publicUrl: addresses.publicRoomsUrl,
  apiKey: kept('room-keys', 'key'),
  apiSecret: kept('room-keys', 'secret'),
});

const otherRoomKeys = ({ tenant: { rotation } }: VariablesBasis) =>
  rotation.roomKeys > 1 ? kept('room-keys', 'others') : undefined;

const toldEverybody = (plan: VariablesBasis, internalPort: number) =>
  ({
    environment: 'production',
    logLevel: plan.tenant.logLevel,
    release: digestOf(plan.tenant.images.services),
    databaseUrl,
    masterKeys,
    roomServer: roomServerOf(plan),
    bind: '0.0.0.0',
    internalPort,
    secretsFolder: mounts.variables,
  }) satisfies Partial<Told<'agent'>>;

/** An image is given by digest (schemas/tenant.schema.json). */
const digestOf = (image: string): string => image.slice(image.indexOf('@') + 1);

const toldApi = (plan: VariablesBasis): Told<'api'> => ({
  ...toldEverybody(plan, ports.apiInternal),
  roomServer: { ...roomServerOf(plan), otherKeys: otherRoomKeys(plan) },
  tenant: plan.tenant.slug,
  port: ports.api,
  publicUrl: plan.addresses.publicUrl,
  trustProxyHops: 1,
  coldStart: coldStart(plan),
  redisUrl: plan.cache && kept('cache', 'url'),
  peopleKeys,
  openIdConnect: openIdConnect(plan),
  mail: mail(plan),
  challenges: challenges(plan),
});

function openIdConnect({ tenant: { signIn } }: VariablesBasis): Told<'api'>['openIdConnect'] {
  if (signIn === undefined) return undefined;
  const { issuer, clientId, clientSecret, name, passwords } = signIn;
  const secret = clientSecret === undefined ? undefined : kept('own', clientSecret);
  return { issuer, clientId, clientSecret: secret, name, passwords };
}

const mail = ({ tenant: { mail: declared } }: VariablesBasis): Told<'api'>['mail'] =>
  declared && { url: kept('own', declared.url), from: declared.from };

const challenges = ({ tenant: { challenges: declared } }: VariablesBasis): Told<'api'>['challenges'] => ({
  turnstile: declared?.turnstile === undefined ? undefined : kept('own', declared.turnstile),
  hcaptcha: declared?.hcaptcha === undefined ? undefined : kept('own', declared.hcaptcha),
});

/** No more wait than the fleet carries when it is there. */
const coldStart = ({ tenant: { capacity } }: VariablesBasis) => ({
  seconds: capacity.coldStart === 'allowed' ? capacity.coldStartSeconds : 0,
  most: totalSessions(capacity),
});

const toldAgent = (plan: VariablesBasis): Told<'agent'> => ({
  ...toldEverybody(plan, ports.agentInternal),
  capacity: plan.agents.sessionsPerPod,
  voiceCapacity: plan.agents.voicePerPod,
  warmRooms: plan.agents.warmRooms,
  warmRoomSeconds,
  retireAtMb: plan.agents.retireAtMib,
  owedFolder: mounts.owed,
  ...ofAuthors(plan),
});

const toldWorker = (plan: VariablesBasis): Told<'worker'> => {
  const { agents, slug } = plan.tenant;
  return {
    ...toldEverybody(plan, ports.workerInternal),
    tenant: slug,
    agentsFolder: agents.repository === undefined ? mounts.agents : undefined,
    repository: repositoryOf(plan),
    policiesFolder: agents.policies === undefined ? undefined : mounts.policies,
    activation: agents.activation,
    scenarioModel: agents.scenarioModel,
    scenarioSeconds: agents.scenarioSeconds,
    passesSecretEnv: agents.passesSecret,
    ...ofAuthors(plan),
  };
};

function repositoryOf({ tenant: { agents, slug } }: VariablesBasis): Told<'worker'>['repository'] {
  if (agents.repository === undefined) return undefined;
  const { token, writeToken, sshKey, commitStatus } = agents;
  return {
    url: agents.repository,
    branch: agents.branch,
    path: agents.path,
    tokenEnv: token,
    writeTokenEnv: writeToken,
    writes: agents.directWrites ? 'direct' : undefined,
    tokenUser: token === undefined && writeToken === undefined ? undefined : agents.tokenUser,
    sshKeyFile: sshKey === undefined ? undefined : `${mounts.git}/${gitFiles.key}`,
    sshKnownHostsFile: sshKey === undefined ? undefined : `${mounts.git}/${gitFiles.knownHosts}`,
    pollSeconds: agents.pollSeconds,
    pushSecretEnv: agents.pushSecret,
    status: commitStatus && {
      url: commitStatus.url,
      host: commitStatus.host,
      tokenEnv: commitStatus.token,
      context: `parley/${slug}`,
    },
  };
}

const toldPreparation = ({ tenant, database }: VariablesBasis): Told<'prepare'> => ({
  databaseUrl,
  databaseAdminUrl: kept('database-admin', 'url'),
  formerOwnerPasswords: formerOwnerPasswords(tenant, database),
  databaseServerUrl: database.madeOnServer ? kept('database-server', 'url') : undefined,
  guestDatabaseUrls: database.guests === undefined ? undefined : kept('database-guests', 'urls'),
  guestConnections: database.guests?.connections,
  tenant: tenant.slug,
  tenantName: tenant.name,
  features: tenant.features,
  telephone: declaredTelephone(tenant),
  // Only what an invitation is sealed with.
  firstOwner: tenant.firstOwner === undefined ? undefined : { email: tenant.firstOwner, masterKeys },
  peopleKeys,
  secretsFolder: mounts.variables,
});

/** Where the server's own role is not asked to set the owner's, the owner does it itself, by the one that it has. */
const formerOwnerPasswords = ({ rotation }: Tenant, { madeOnServer }: DatabasePlan) =>
  rotation.ownerPassword > 1 && !madeOnServer ? kept('database-admin', 'former') : undefined;

/** Nothing where nothing is declared: preparing takes away what was. */
const declaredTelephone = ({ phone }: Tenant): DeclaredTelephone | undefined =>
  phone && phone.trunks.length > 0 ? { trunks: phone.trunks, numbers: phone.numbers } : undefined;

/** What the stack sets for agents: what their files refer to, and settings of one's own image. */
const ofAgents = ({ tenant }: VariablesBasis): Variable[] => [
  ...Object.entries(tenant.environment).map(([name, value]) => ({ name, value })),
  ...secretVariables(secretsOfAgents(tenant)),
];

/** What opens their repository is for the worker only, what signs people in for the API, and what opens the registry for nodes. */
function secretsOfAgents({ secrets, agents, images, signIn, mail: post, challenges: asked }: Tenant): string[] {
  const { token, writeToken, pushSecret, passesSecret, sshKey, commitStatus } = agents;
  const ofRepository = [token, writeToken, pushSecret, passesSecret, sshKey, commitStatus?.token];
  const ofApi = [signIn?.clientSecret, post?.url, asked?.turnstile, asked?.hcaptcha];
  const ofOthers = [...ofRepository, images.pullSecret, ...ofApi];
  return Object.keys(secrets).filter((name) => !ofOthers.includes(name));
}

/** What agents' files may refer to. */
export function namesForAgents(tenant: Tenant): string[] {
  return [...Object.keys(tenant.environment), ...secretsOfAgents(tenant)].filter(isForAgents);
}

/** What agents' files may refer to, and where their providers may be. */
const ofAuthors = ({ tenant }: VariablesBasis) => ({
  agentVariables: unlessEmpty(namesForAgents(tenant)),
  providerHosts: unlessEmpty(tenant.network.providerHosts),
});

/** A list is never empty. */
const unlessEmpty = (names: string[]): string[] | undefined => (names.length > 0 ? names : undefined);

const secretVariables = (names: readonly (string | undefined)[]): Variable[] =>
  [...new Set(names)].flatMap((name) => (name === undefined ? [] : [{ name, value: kept('own', name) }]));
