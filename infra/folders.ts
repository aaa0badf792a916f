/** Folders beside Pulumi.yaml that come with the stack: agents, and the operator's policies. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { loadAgents } from '../services/contract/agents/load.ts';
import type { Folder } from './components/folder-map.ts';
import type { Folders } from './components/workloads.ts';
import type { Tenant } from './config.ts';

/** What a ConfigMap holds at most is 1 MiB, with its other fields. */
const mostBytes = 900 * 1024;

/** @throws Error that says what to put right: a folder that is missing or too large, agents that have faults. */
export async function readFolders({ agents, database }: Tenant, root: string): Promise<Folders> {
  const databaseCertificate = await readCertificate(root, database.certificateAuthority);
  const policies =
    agents.policies === undefined ? undefined : await readFolder(root, agents.policies, ['.ts', '.yaml']);
  if (agents.repository !== undefined) return { databaseCertificate, agents: undefined, policies };
  const folder = agents.folder ?? 'agents';
  await checkAgents(resolve(root, folder), folder);
  return { databaseCertificate, agents: await readFolder(root, folder, ['.yaml', '.md']), policies };
}

async function readCertificate(root: string, name: string | undefined): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const text = await readFile(resolve(root, name), 'utf8').catch(() => '');
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Error(
      `${name} beside Pulumi.yaml holds no certificate in PEM: see parley:database.certificateAuthority.`,
    );
  return text;
}

/** A revision that the worker would refuse is refused before anything is changed. */
async function checkAgents(path: string, name: string): Promise<void> {
  const { faults } = await loadAgents(path);
  const errors = faults.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const lines = errors.map(({ file, line, column, message }) => `  ${name}/${file}:${line}:${column} ${message}`);
  throw new Error(`The agents cannot go live:\n${lines.join('\n')}`);
}

async function readFolder(root: string, name: string, endings: readonly string[]): Promise<Folder> {
  const path = resolve(root, name);
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => {
    throw new Error(`There is no folder ${name} beside Pulumi.yaml.`);
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
    throw new Error(
      `${name} holds ${bytes} bytes; ${mostBytes} go with a stack. Put it into a repository: parley:agents.repository.`,
    );
  return texts;
}
