/** Folders beside Pulumi.yaml that come with the stack: agents, and the operator's policies. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { AgentVersion } from '../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../services/agent-files/load.ts';
import { loadPolicies } from '../services/agent-files/policies/load.ts';
import { durationMs } from '../services/contract/durations.ts';
import { namesForAgents } from './plan/variables.ts';
import { Refusal } from './refusal.ts';
import type { Tenant } from './tenant.ts';

/** Texts by their path below the folder, with forward slashes. */
export type Folder = ReadonlyMap<string, string>;

/** What comes with the stack as files. */
export interface Folders {
  /** Agents of the folder, compiled; none where they come from a repository. */
  versions: readonly AgentVersion[];
  /** PEM that the database's certificate is checked with. */
  databaseCertificate?: string | undefined;
  agents: Folder | undefined;
  policies: Folder | undefined;
}

/** What a ConfigMap holds at most is 1 MiB, with its other fields. */
const mostBytes = 900 * 1024;

/** @throws Refusal that says what to put right: a folder that is missing or too large, agents that have faults. */
export async function readFolders(tenant: Tenant, root: string): Promise<Folders> {
  const { agents, database, longestConversation } = tenant;
  const databaseCertificate = await readCertificate(root, database.certificateAuthority);
  const policies =
    agents.policies === undefined ? undefined : await readFolder(root, agents.policies, ['.ts', '.yaml']);
  if (agents.repository !== undefined) return { databaseCertificate, agents: undefined, policies, versions: [] };
  const folder = agents.folder ?? 'agents';
  const rules = agents.policies === undefined ? undefined : resolve(root, agents.policies);
  const versions = await checkedAgents({
    ...{ path: resolve(root, folder), name: folder, rules, longestConversation },
    ...{ variables: namesForAgents(tenant), providerHosts: tenant.network.providerHosts },
  });
  refuseUnknownAgents(tenant, folder, versions);
  return { databaseCertificate, agents: await readFolder(root, folder, ['.yaml', '.md']), policies, versions };
}

/** Only of agents that come with the stack anybody knows here which there will be. */
function refuseUnknownAgents({ phone }: Tenant, folder: string, versions: readonly AgentVersion[]): void {
  const faults = (phone?.numbers ?? []).flatMap(({ number, agent, language }) => {
    const found = versions.find((one) => one.agent.agent === agent)?.agent;
    if (agent === undefined) return [];
    if (!found) return [`${number} is answered by "${agent}", and ${folder} has no ${agent}.yaml.`];
    const codes = found.languages.map(({ code }) => code);
    const isSpoken = language === undefined || codes.some((code) => code.toLowerCase() === language.toLowerCase());
    return isSpoken ? [] : [`${number} is answered in "${language}", and ${agent} speaks ${codes.join(', ')}.`];
  });
  if (faults.length > 0)
    throw new Refusal(`parley:phone.numbers:\n${faults.map((sentence) => `  ${sentence}`).join('\n')}`);
}

async function readCertificate(root: string, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const text = await readFile(resolve(root, name), 'utf8').catch(() => '');
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Refusal(
      `${name} beside Pulumi.yaml holds no certificate in PEM: see parley:database.certificateAuthority.`,
    );
  return text;
}

interface AgentsFolder {
  path: string;
  name: string;
  /** Folder of the operator's policies. */
  rules: string | undefined;
  longestConversation: string;
  /** Names of the variables that the stack declares for agents. */
  variables: readonly string[];
  providerHosts: readonly string[];
}

/** A revision that the worker would refuse is refused before anything is changed. */
async function checkedAgents(folder: AgentsFolder): Promise<AgentVersion[]> {
  const { path, name, rules, longestConversation, variables, providerHosts } = folder;
  const { agents, faults } = await loadAgents(path, { policies: await loadPolicies(rules), variables, providerHosts });
  const errors = faults
    .filter(({ severity }) => severity === 'error')
    .map(({ file, line, column, message }) => `${name}/${file}:${line}:${column} ${message}`);
  const longestMs = durationMs(longestConversation);
  const longer = agents
    .filter(({ agent }) => agent.limits.maxDurationMs > longestMs)
    .map(
      ({ agent }) =>
        `${name}/${agent.agent}.yaml allows longer conversations than parley:longestConversation (${longestConversation}): raise it.`,
    );
  if (errors.length + longer.length > 0)
    throw new Refusal(`The agents cannot go live:\n${[...errors, ...longer].map((line) => `  ${line}`).join('\n')}`);
  return agents;
}

async function readFolder(root: string, name: string, endings: readonly string[]): Promise<Folder> {
  const path = resolve(root, name);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => {
    throw new Refusal(`There is no folder ${name} beside Pulumi.yaml.`);
  });
  const files = entries
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !relative(path, file)
          .split(sep)
          .some((part) => part.startsWith('.')),
    )
    .sort();
  const texts = new Map<string, string>();
  for (const file of files) texts.set(relative(path, file).replaceAll(sep, '/'), await readFile(file, 'utf8'));
  const bytes = [...texts].reduce((sum, [file, text]) => sum + Buffer.byteLength(file + text), 0);
  if (bytes > mostBytes)
    throw new Refusal(
      `${name} holds ${bytes} bytes; ${mostBytes} go with a stack. Put it into a repository: parley:agents.repository.`,
    );
  return texts;
}
