import { join } from 'node:path';
import type { CompiledAgent } from '../../../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../../../services/agent-files/load.ts';
import { publishAgents } from '../../../services/core/agents/publish.ts';
import { type Credentials, revealCredentials } from '../../../services/core/credentials/credentials.ts';
import { makeVault } from '../../../services/core/credentials/vault.ts';
import type { Values } from '../../../services/settings/settings.ts';
import { variables } from '../../../services/settings/write.ts';
import { openDatabase } from '../../../services/store/database.ts';
import { makeNotifier } from '../../../services/store/notify.ts';
import { eventually } from '../eventually.ts';
import type { Node } from '../network/nodes.ts';
import type { TestRoomServer } from '../rooms/room-server.ts';
import { ServiceProcess } from './service-process.ts';

export type ServiceName = 'api' | 'agent' | 'worker';
/** `address`: where its ports are. */
export type RunningService = ServiceProcess & { internalPort: number; address: string };

/** What every world of a test is: the product's processes over a database, a room server and a folder of agents. */
export interface Installation {
  serviceUrl: string;
  rooms: TestRoomServer;
  agentsFolder: string;
  masterKeys: string;
}

/** What all of its processes are told. */
export const settingsOf = ({ serviceUrl, rooms, agentsFolder, masterKeys }: Installation): Values => ({
  databaseUrl: serviceUrl,
  roomServer: { url: rooms.url, apiKey: rooms.apiKey, apiSecret: rooms.apiSecret },
  masterKeys,
  agentsFolder,
  tenant: 'local',
});

export const ourCode = join(import.meta.dirname, '../../..');

/** @param code the folder of the repository; ours by default */
export const programOf = (service: ServiceName, code = ourCode): string => join(code, 'services', service, 'main.ts');

/** A process of the product that has only just been started; see `whenReady`. */
export function runService(
  program: string,
  env: Record<string, string>,
  internalPort: number,
  node?: Node,
): RunningService {
  const address = node?.address ?? '127.0.0.1';
  const told = { ...env, ...variables({ internalPort, ...(node && { bind: address }) }) };
  return Object.assign(new ServiceProcess(program, told, [], node), { internalPort, address });
}

/** Half a dozen processes that start at once, beside a control plane or on a machine that does much else. */
const readyWithinMs = 120_000;

/** Resolves once the process says that it is ready. @throws Error with what it wrote when it ends instead, or takes too long */
export async function whenReady(service: RunningService): Promise<void> {
  const url = `http://${service.address}:${service.internalPort}/readyz`;
  const answers = async () => {
    if (!service.running) throw new Error(`the process ended:\n${service.output()}`);
    return (await fetch(url)).ok;
  };
  await eventually(`${url} answers 200`, answers, { withinMs: readyWithinMs }).catch((error: Error) => {
    throw new Error(`${error.message}\n${service.output()}`, { cause: error });
  });
}

type Owner = Pick<Installation, 'serviceUrl' | 'masterKeys'> & { tenant: string };

/** Makes the agents of the folder live: what a worker does by itself. Gives them as they were compiled. @throws Error with every error in the files */
export async function publishFolder(owner: Owner, folder: string): Promise<CompiledAgent[]> {
  const { agents: versions, faults } = await loadAgents(folder);
  const errors = faults.filter((fault) => fault.severity === 'error');
  if (errors.length > 0)
    throw new Error(errors.map((fault) => `${fault.file}:${fault.line}:${fault.column} ${fault.message}`).join('\n'));
  const { tenant, masterKeys } = owner;
  const db = openDatabase(owner.serviceUrl);
  const deps = { db, vault: makeVault(masterKeys), notifier: makeNotifier(db) };
  await publishAgents(deps, { tenant, versions, commit: null }).finally(() => db.close());
  return versions.map(({ agent }) => agent);
}

/** The key and the secret of an agent's caller. */
export async function credentialsOf({ serviceUrl, masterKeys, tenant }: Owner, agent: string): Promise<Credentials> {
  const db = openDatabase(serviceUrl);
  return revealCredentials({ db, vault: makeVault(masterKeys) }, { tenant, agent }).finally(() => db.close());
}
