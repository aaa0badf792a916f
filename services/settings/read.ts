import { type EnvironmentReader, readEnvironment } from '../process/environment.ts';
import type { Variables } from '../process/variables.ts';
import { type Group, isGroup, type Process, required, type Setting, type Tree } from './setting.ts';
import { type SettingsOf, settings } from './settings.ts';

interface Reading {
  process: Process;
  variables: Variables;
  env: EnvironmentReader;
}

/**
 * What a process is told by its environment. `check` may note what is wrong between values, any of which may be faulty itself.
 * @throws ConfigurationError that says all faults together, each with the variable's name and what it should hold, never what it holds
 */
export function readSettings<Reader extends Process>(
  process: Reader,
  variables: Variables,
  check: (given: SettingsOf<Reader>, fault: (text: string) => void) => void = () => undefined,
): SettingsOf<Reader> {
  const env = readEnvironment(variables);
  // The types are derived from the same tree that is read here.
  const given = readTree(settings, { process, variables, env }) as SettingsOf<Reader>;
  check(given, env.fault);
  env.finish();
  return given;
}

const readTree = (tree: Tree, reading: Reading): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(tree).flatMap(([key, node]) =>
      isReadBy(node, reading.process) ? [[key, isGroup(node) ? readGroup(node, reading) : readOne(node, reading)]] : [],
    ),
  );

const isReadBy = (node: Setting | Group, process: Process): boolean =>
  isGroup(node)
    ? Object.values(node.settings).some((field) => isReadBy(field, process))
    : Object.hasOwn(node.readBy, process);

function readGroup({ settings: fields, opensWith }: Group, reading: Reading): unknown {
  const opener = opensWith === undefined ? undefined : fields[opensWith];
  const isClosed = opener && !isGroup(opener) && !reading.variables[opener.name];
  return isClosed ? undefined : readTree(fields, reading);
}

function readOne({ name, holds, parse, readBy }: Setting, { process, variables, env }: Reading): unknown {
  const understood = (text: string) => parse(text, variables);
  const missing = readBy[process];
  return missing === required ? env.required(name, holds, understood) : env.optional(name, missing, holds, understood);
}
