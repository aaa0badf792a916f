import { join } from 'node:path';
import { variablesForAgents } from '../../services/agent-files/definition/agent-variables.ts';
import { missingKeys } from '../../services/agent-files/definition/provider-keys.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import { readPeopleKeys } from '../../services/core/account/people-keys.ts';
import { makeVault } from '../../services/core/credentials/vault.ts';
import { sleep } from '../../services/process/sleep.ts';
import { readSettings } from '../../services/settings/read.ts';
import { settings } from '../../services/settings/settings.ts';
import { variables } from '../../services/settings/write.ts';
import { type Database, openDatabase } from '../../services/store/database.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';
import { demoToolsUrl, startDemoTools } from '../demo/tools.ts';
import { Fault } from '../toolchain/fault.ts';
import { createCluster, startServer } from '../toolchain/postgres.ts';
import { officialSources, roomServerPath } from '../toolchain/room-server.ts';
import { startRoomServerProcess } from '../toolchain/room-server-process.ts';
import { setUpLocalSpeech } from '../toolchain/speech.ts';
import { modelsFile } from '../toolchain/speech-models.ts';
import { type AgentCredentials, type AgentSource, liveAgents } from './agents.ts';
import { buildPagesAside } from './build-page.ts';
import { internalPorts } from './check-ports.ts';
import { checkedOut } from './checked-out.ts';
import { prepareDatabase } from './database.ts';
import { type Folders, logOf, recordOf } from './folders.ts';
import { findModelServer, usualServers } from './model-server.ts';
import { followModels } from './model-troubles.ts';
import { fetchNaturalSpeech } from './natural-speech.ts';
import type { StartOptions } from './options.ts';
import type { Parts, Phase } from './parts.ts';
import { newestRevision } from './refusals.ts';
import { type Secrets, writePrivately } from './secrets.ts';
import { answersOk, startService } from './service.ts';
import { type Given, serviceEnvironment } from './service-environment.ts';
import { signInLink } from './sign-in-link.ts';
import { startTelephone, startTelephoneStore, telephoneStoreOf } from './telephone.ts';
import { wakeModel } from './wake-model.ts';

const root = join(import.meta.dirname, '../..');
export const tenant = 'local';
const host = '127.0.0.1';

/** How long each may take to stop in order; together with the servers below 10 s. */
const stopMs = { api: 2_000, agents: 3_000, worker: 1_500, database: 2_000 };
const agentsDeadlineMs = 15_000;
const pollMs = 50;

export interface LaunchContext {
  options: StartOptions;
  folders: Folders;
  secrets: Secrets;
  parts: Parts;
  /** Aborted when stopping begins. */
  signal: AbortSignal;
  say(line: string): void;
}

export interface Launched {
  baseUrl: string;
  wsUrl: string;
  /** Signs whoever opens it in, once. */
  signInLink: string;
  source: AgentSource;
  agents: AgentCredentials;
  /** By which a softphone reaches each agent, with `--phone`. */
  numbers: Record<string, string>;
}

/** Starts everything and resolves when a conversation can be held. What was started is in `parts`, also after a failure. */
export async function launchAll(context: LaunchContext): Promise<Launched> {
  const { options, secrets, parts } = context;
  const since = new Date();
  const urls = addresses(context);
  await writeEnvironment(context, urls);
  const tools = startDemoTools(options.ports.demoToolsPort).then((server) => {
    const close = async () => {
      server.close();
      server.closeAllConnections();
    };
    parts.add('tools', { stop: close, kill: close });
  });
  const speech = prepareSpeech(context);
  const model = tellModel(context);
  const release = checkedOut();
  const pages = buildPagesAside({ ...context, log: logOf(context, 'pages') });
  await startTelephoneStore(context);
  await Promise.all([startDatabase(context, urls), startRooms(context), tools, speech]);
  const found = { ...(await speech), ...(await model), ...variables({ release: await release }) };
  await Promise.all([...startServices(context, urls, found), pages]);
  if (!(await answersOk(`${urls.baseUrl}/health`))) {
    throw new Fault(`The API says at ${urls.baseUrl}/health that something is missing: see ${context.folders.logs}.`);
  }
  await tellMissingKeys(context);
  // Whoever writes to an agent waits for none of it.
  void fetchNaturalSpeech(context);
  const db = openDatabase(urls.serviceUrl, { maxConnections: 2, applicationName: 'parley-launcher' });
  parts.add('tools', { stop: () => db.close(), kill: async () => undefined });
  const source = { db, vault: makeVault(secrets.masterKeys), tenant };
  const link = await linkToSignIn(context, urls, db);
  const agents = await awaitAgents(context, source, since);
  const numbers = await startTelephone(context, source, enabled(agents));
  return { baseUrl: urls.baseUrl, wsUrl: urls.wsUrl, signInLink: link, source, agents, numbers };
}

async function linkToSignIn({ secrets }: LaunchContext, urls: Addresses, db: Database): Promise<string> {
  const id = await locateTenant(db, tenant);
  if (id === undefined) throw new Fault('The tenant is gone that this start has made.');
  const { peopleKeys } = secrets;
  return signInLink({ databaseUrl: urls.serviceUrl, peopleKeys, publicUrl: urls.baseUrl, tenant: id });
}

interface Addresses {
  adminUrl: string;
  serviceUrl: string;
  baseUrl: string;
  wsUrl: string;
  toolsUrl: string;
  roomEventsUrl: string;
}

function addresses({ options, secrets }: LaunchContext): Addresses {
  const { ports } = options;
  const database = (user: string, password: string) =>
    `postgres://${user}:${password}@${host}:${ports.postgresPort}/postgres`;
  return {
    adminUrl: database('postgres', secrets.databaseAdminPassword),
    serviceUrl: database('parley_service', secrets.databasePassword),
    baseUrl: `http://${host}:${ports.port}`,
    wsUrl: `ws://${host}:${ports.roomPort}`,
    toolsUrl: `http://${host}:${ports.demoToolsPort}`,
    roomEventsUrl: `http://${host}:${internalPorts(options).api}/room-events`,
  };
}

async function startDatabase(context: LaunchContext, urls: Addresses): Promise<void> {
  const { folders, options, secrets, parts, say } = context;
  await createCluster(folders.postgres, secrets.databaseAdminPassword);
  const log = logOf(context, 'postgres');
  const port = options.ports.postgresPort;
  await parts.supervise('database', {
    name: 'PostgreSQL',
    say,
    recordFile: recordOf(context, 'postgres'),
    open: async () => {
      const server = await startServer({
        folder: folders.postgres,
        port,
        password: secrets.databaseAdminPassword,
        onOutput: (chunk) => log.write(chunk),
      });
      return { ...server, stop: () => server.stop(stopMs.database) };
    },
  });
  const { databasePassword: peoplePassword } = readPeopleKeys(secrets.peopleKeys);
  await prepareDatabase(
    { ...urls, peoplePassword },
    { slug: tenant, name: 'This machine', features: { webhook: true } },
  );
  say(`PostgreSQL is ready on port ${port}.`);
}

async function startRooms(context: LaunchContext): Promise<void> {
  const { folders, options, secrets, parts, say } = context;
  const program = await roomServerPath(say, { ...officialSources(), signal: context.signal });
  const log = logOf(context, 'room-server');
  const { roomPort, roomUdpPort } = options.ports;
  const config = {
    port: roomPort,
    udpPort: roomUdpPort,
    apiKey: secrets.roomServerKey,
    apiSecret: secrets.roomServerSecret,
    webhookUrls: [addresses(context).roomEventsUrl],
    ...telephoneStoreOf(context),
  };
  await parts.supervise('rooms', {
    name: 'The room server',
    say,
    recordFile: recordOf(context, 'room-server'),
    open: async () => {
      const configFile = join(folders.data, 'room-server.yaml');
      const server = await startRoomServerProcess({
        program,
        config,
        configFile,
        onOutput: (chunk) => log.write(chunk),
      });
      return { ...server, stop: () => server.kill() };
    },
  });
  say(`The room server is ready on port ${roomPort}.`);
}

function startServices(context: LaunchContext, urls: Addresses, found: Record<string, string>): Promise<void>[] {
  const { options, folders } = context;
  const ports = internalPorts(options);
  const { port } = options.ports;
  const models = followModels(context.say);
  const owedFolder = join(folders.data, 'owed');
  const env = {
    theirs: { ...found, ...process.env },
    ours: { ...ownEnvironment(context, urls), ...variables({ port, agentsFolder: options.agentsFolder, owedFolder }) },
  };
  return [
    startOne(context, { name: 'The API', log: 'api', phase: 'api', port: ports.api, env }),
    startOne(context, { name: 'The worker', log: 'worker', phase: 'worker', port: ports.worker, env }),
    ...ports.agents.map((port, index) =>
      startOne(context, {
        ...{ name: `Agent host ${index + 1}`, log: `agent-${index + 1}`, phase: 'agents', port, env },
        onOutput: models.listen(),
      }),
    ),
  ];
}

interface ServicePlan {
  name: string;
  log: string;
  phase: Extract<Phase, 'api' | 'agents' | 'worker'>;
  port: number;
  /** For all; each gets what it reads. */
  env: Given;
  onOutput?: (chunk: Buffer) => void;
}

const entries = { api: 'api', agents: 'agent', worker: 'worker' } as const;

async function startOne(context: LaunchContext, { name, log, phase, port, env, onOutput }: ServicePlan): Promise<void> {
  const logFile = logOf(context, log);
  const told = await serviceEnvironment(entries[phase], env, join(context.folders.data, 'secrets', log));
  await context.parts.supervise(phase, {
    name,
    say: context.say,
    recordFile: recordOf(context, log),
    open: () =>
      startService({
        name,
        entry: join(root, 'services', entries[phase], 'main.ts'),
        env: { ...told, ...variables({ internalPort: port }) },
        log: logFile,
        onOutput,
        readyUrl: `http://${host}:${port}/readyz`,
        stopMs: stopMs[phase],
      }),
  });
  context.say(`${name} is ready.`);
}

/** What the person has declared for agents. @throws ConfigurationError where it is no list of names */
const declaredHere = (): readonly string[] => readSettings('start', process.env).agentVariables ?? [];

/** What services are told, by variable. */
function ownEnvironment({ secrets }: LaunchContext, urls: Addresses): Record<string, string> {
  return {
    ...variables({
      databaseUrl: urls.serviceUrl,
      roomServer: {
        url: urls.wsUrl,
        publicUrl: urls.wsUrl,
        apiKey: secrets.roomServerKey,
        apiSecret: secrets.roomServerSecret,
      },
      masterKeys: secrets.masterKeys,
      peopleKeys: secrets.peopleKeys,
      publicUrl: urls.baseUrl,
      environment: 'development',
      tenant,
      agentVariables: [...declaredHere(), demoToolsUrl],
    }),
    [demoToolsUrl]: urls.toolsUrl,
  };
}

/** A model server that runs on this machine answers for agents that name no model; whoever starts it is told. */
async function tellModel({ say, signal }: LaunchContext): Promise<Record<string, string>> {
  const found = await findModelServer(process.env, signal, usualServers, say);
  if (!found) return {};
  say(
    `${found.server} runs here: agents that name no model are answered by ${found.model} (${settings.localModel.name}=off: by their script).`,
  );
  void wakeModel(found, { signal, say });
  return variables({ localModel: `${found.baseUrl} ${found.model}` });
}

/** Where speech can't be set up the person is told, and text works. */
async function prepareSpeech({ options, say }: LaunchContext): Promise<Record<string, string>> {
  const { variables: simple, problems } = await setUpLocalSpeech(say);
  for (const problem of problems) say(problem);
  if (problems.length > 0) say('Until then agents can only be written to, unless they name a provider of speech.');
  else if (!options.hasNaturalSpeech) say('Speech on this machine is ready.');
  return { ...simple, ...(options.hasNaturalSpeech && variables({ speech: { models: modelsFile() } })) };
}

/**
 * Before anybody calls: an agent whose provider has no key falls back, or says that it cannot answer. Of agents in a repository, which
 * the worker has yet to read, the hosts' logs tell it.
 */
async function tellMissingKeys({ options, say }: LaunchContext): Promise<void> {
  if (!options.agentsFolder) return;
  const { agents } = await loadAgents(options.agentsFolder, { environment: 'development' });
  const forAgents = variablesForAgents(declaredHere(), process.env);
  for (const { agent } of agents) {
    for (const sentence of missingKeys(agent, forAgents.ofProviders)) say(`${agent.agent}: ${sentence}`);
  }
}

/** For the operator's commands, which find this start by the file. */
function writeEnvironment(context: LaunchContext, urls: Addresses): Promise<void> {
  const told = { ...ownEnvironment(context, urls), ...variables({ databaseAdminUrl: urls.adminUrl }) };
  return writePrivately(join(context.folders.data, 'environment.json'), told);
}

const enabled = (agents: AgentCredentials): string[] => Object.keys(agents).filter((agent) => !agents[agent]?.disabled);

/** The worker publishes the agents' files; a fault in one of them is for the person to mend while all runs. */
async function awaitAgents(context: LaunchContext, source: AgentSource, since: Date): Promise<AgentCredentials> {
  const { options, folders, signal, say } = context;
  const deadline = Date.now() + agentsDeadlineMs;
  while (!signal.aborted) {
    const agents = await liveAgents(source);
    if (Object.keys(agents).length > 0) return agents;
    const judged = await newestRevision(source);
    const isRefused = judged?.state === 'refused' && new Date(judged.at) > since;
    if (isRefused || Date.now() > deadline) break;
    await sleep(pollMs);
  }
  if (signal.aborted) return {};
  const whatSays = options.agentsFolder
    ? '"npx parley agents validate" and "npx parley scenarios run" say'
    : '"npx parley agents revisions" says';
  say(`No agent is live: ${whatSays} what is wrong in ${options.agentsFrom}; see also ${folders.logs}/worker.log.`);
  return {};
}
