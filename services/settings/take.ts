import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providerFacts } from '../contract/generated/providers.ts';
import { ConfigurationError } from '../process/environment.ts';
import type { Variables } from '../process/variables.ts';
import type { Setting } from './setting.ts';
import { settings, settingsIn } from './settings.ts';

/** The longest value that a stack's schema takes is 20 000 characters. */
const mostBytes = 64 * 1024;
const variableName = /^[A-Z][A-Z0-9_]{0,99}$/;

const all: readonly Setting[] = settingsIn(settings).map(({ setting }) => setting);

/**
 * The variables of this process, those that stand in files of the secrets' folder included; a file goes before a variable of its
 * name. What is secret leaves `env`: whatever this process starts, or comes to run in it, does not find it there.
 * @throws ConfigurationError when the folder cannot be read
 */
export function takeVariables(env: Record<string, string | undefined>): Variables {
  const taken = withSecretFiles(env);
  for (const name of secretNames(taken)) delete env[name];
  return Object.freeze(taken);
}

/** The same, and `env` stays as it is: for commands, which start nothing that they would not give it to. */
export const withSecretFiles = (env: Variables): Record<string, string | undefined> => ({
  ...env,
  ...secretsIn(env[settings.secretsFolder.name]),
});

/** Names of what is secret among these variables: what is declared so, what another names, what is for agents, and keys of providers. */
export function secretNames(variables: Variables): string[] {
  const named = all.flatMap(({ name, namesSecret }) => (namesSecret ? [variables[name]?.trim() ?? ''] : []));
  const ofProviders = Object.values(providerFacts).flatMap(({ key }) => key ?? []);
  return [
    ...all.flatMap(({ name, secret }) => (secret ? [name] : [])),
    ...named,
    ...declaredIn(variables),
    ...ofProviders,
  ].filter((name) => variables[name] !== undefined);
}

const declaredIn = (variables: Variables): readonly string[] =>
  settings.agentVariables.parse(variables[settings.agentVariables.name] ?? '') ?? [];

/** Mounts have names of their own beside the files (`..data`); only those that a variable can have are read. */
function secretsIn(folder: string | undefined): Record<string, string> {
  if (!folder) return {};
  try {
    const names = readdirSync(folder).filter((name) => variableName.test(name));
    return Object.fromEntries(names.map((name) => [name, valueIn(join(folder, name))]));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError([`${settings.secretsFolder.name} cannot be used: ${reason}.`]);
  }
}

/** Editors end a file with a line break, which is no part of a key. */
function valueIn(file: string): string {
  const bytes = readFileSync(file);
  if (bytes.length > mostBytes) throw new Error(`${file} is longer than ${mostBytes} bytes`);
  return bytes.toString('utf8').replace(/\r?\n$/, '');
}
