/** The operator's own rules, from a folder outside the agents' repository: code that other people write is never loaded. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bestEffort } from '../../process/best-effort.ts';
import { settings } from '../../settings/settings.ts';
import { readPolicies } from '../check-files.ts';
import type { CompiledAgent } from '../definition/compiled.ts';
import type { NamedPolicy, PolicyFinding } from './policy.ts';

/** The operator's folder cannot be used as it is; nothing is activated without the rules that were asked for. */
export class PoliciesUnusable extends Error {
  override readonly name = 'PoliciesUnusable';
}

const variable = settings.policiesFolder.name;

/** File name of a rule: its name, in lower case with hyphens. Tests beside a rule are not rules. */
const ruleFile = /^([a-z][a-z0-9-]*)\.ts$/;

/**
 * The rules of `policies.yaml` and of every `<name>.ts` in a folder. Each module exports
 * `policy: (agent: CompiledAgent) => PolicyFinding[]`; it is imported, so it runs with the rights of this process.
 * Undefined as folder: no rules. @throws PoliciesUnusable that names the file at fault
 */
export async function loadPolicies(folder: string | undefined): Promise<NamedPolicy[]> {
  if (folder === undefined) return [];
  const names = await bestEffort('the operator is told below', readdir(folder));
  if (!names) throw new PoliciesUnusable(`${variable} names ${folder}, which is no folder that can be read.`);
  const own = names.toSorted().flatMap((file) => {
    const name = ruleFile.exec(file)?.[1];
    return name === undefined ? [] : [{ name, path: join(folder, file) }];
  });
  const named = names.includes('policies.yaml') ? await readSettings(join(folder, 'policies.yaml')) : [];
  const loaded = [...named, ...(await Promise.all(own.map(loadRule)))];
  if (loaded.length === 0) {
    throw new PoliciesUnusable(`${variable} names ${folder}, which has neither a policies.yaml nor a <name>.ts.`);
  }
  return loaded;
}

async function readSettings(path: string): Promise<NamedPolicy[]> {
  const { enabled, faults } = readPolicies(path, await readFile(path, 'utf8'));
  const [fault] = faults;
  if (fault) throw new PoliciesUnusable(`${path}:${fault.line}:${fault.column}  ${fault.message}`);
  return enabled;
}

async function loadRule({ name, path }: { name: string; path: string }): Promise<NamedPolicy> {
  const module: unknown = await import(pathToFileURL(path).href).catch((error: unknown) => {
    throw new PoliciesUnusable(`${path} cannot be loaded: ${error instanceof Error ? error.message : error}`);
  });
  if (!hasPolicy(module)) throw new PoliciesUnusable(`${path} must export a function named policy.`);
  return { name, check: (agent) => findingsOf(module.policy(agent)) };
}

const hasPolicy = (module: unknown): module is { policy: (agent: CompiledAgent) => unknown } =>
  typeof module === 'object' && module !== null && 'policy' in module && typeof module.policy === 'function';

/** An answer of another shape, such as a promise, would look like consent; the caller refuses the agent instead. */
function findingsOf(answer: unknown): PolicyFinding[] {
  if (Array.isArray(answer) && answer.every(isFinding)) return answer;
  throw new Error('it must return a list of {path, message}, at once');
}

const isFinding = (finding: unknown): finding is PolicyFinding =>
  typeof finding === 'object' &&
  finding !== null &&
  'message' in finding &&
  typeof finding.message === 'string' &&
  'path' in finding &&
  Array.isArray(finding.path) &&
  finding.path.every((key) => typeof key === 'string');
