import { isGroup, type Process, type Setting, type Tree } from './setting.ts';
import { type Planned, settings, type Values } from './settings.ts';

/** Values as variables. One that no process reads, or that is of another type, does not compile; what is undefined is left out. */
export const variables = (values: Values): Record<string, string> =>
  Object.fromEntries(valuesIn(settings, values).map(([setting, value]) => [setting.name, textOf(setting, value)]));

export interface PlannedVariable<Reference> {
  name: string;
  value: string | Reference;
}

/** As `variables`, for a stack's plan: it decides everything that the process reads, and gives secrets by reference. */
export const plannedVariables = <Reader extends Process, Reference>(
  _process: Reader,
  values: Planned<Reader, Reference>,
): PlannedVariable<Reference>[] =>
  valuesIn(settings, values).map(([setting, value]) => ({
    name: setting.name,
    // By its type: `PlannedValues` gives secrets no other.
    value: setting.secret ? (value as Reference) : textOf(setting, value),
  }));

const textOf = ({ write = String }: Setting, value: unknown): string => write(value as never);

/** In the order in which they are declared. */
function valuesIn(tree: Tree, values: object): [Setting, unknown][] {
  const given = new Map<string, unknown>(Object.entries(values));
  return Object.entries(tree).flatMap(([key, node]): [Setting, unknown][] => {
    const value = given.get(key);
    if (value === undefined) return [];
    return isGroup(node) ? valuesIn(node.settings, value as object) : [[node, value]];
  });
}
