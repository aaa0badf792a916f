/** Whether the operator has declared the variables that a file refers to: whoever writes agents may name no others. */
import { nearest } from '../../contract/nearest.ts';
import { settings } from '../../settings/settings.ts';
import { isForAgents } from '../../settings/subjects/agent-variables.ts';
import type { Finding } from '../faults.ts';

const mostNamed = 20;

/** Every `{env: NAME}` of a file, with its place. */
export function referencesIn(value: unknown, path: readonly string[] = []): { name: string; path: string[] }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    // A JSON Schema of the author's own: `env` is a parameter's name there.
    if (path.length === 0 && key === 'parameters') return [];
    if (key === 'env' && typeof part === 'string') return [{ name: part, path: [...path, key] }];
    return referencesIn(part, [...path, key]);
  });
}

/**
 * `declared` undefined: nobody knows here what the operator has declared, as in an author's pipeline. What belongs to the installation can
 * be declared by nobody.
 */
export function checkVariables(file: unknown, declared: readonly string[] | undefined): Finding[] {
  return referencesIn(file).flatMap(({ name, path }) => {
    const message = problemOf(name, declared);
    return message === undefined ? [] : [{ path, rule: 'variable-undeclared', message }];
  });
}

function problemOf(name: string, declared: readonly string[] | undefined): string | undefined {
  // What no operator can declare is not to be asked for.
  if (isForAgents(name)) return !declared || declared.includes(name) ? undefined : undeclared(name, declared);
  return `The variable ${name} belongs to the installation, and agents may not refer to it. Use a name of your own, such as CRM_TOKEN.`;
}

function undeclared(name: string, declared: readonly string[]): string {
  const near = nearest(name, declared);
  const hint =
    near === undefined ? `Declared: ${declared.slice(0, mostNamed).join(', ') || 'none'}.` : `Did you mean ${near}?`;
  return `The variable ${name} is not declared for agents: the operator adds it to ${settings.agentVariables.name}, in a stack to parley:secrets. ${hint}`;
}
