import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';
import { plainLine } from './plain-text.ts';

/** What the agent noted of what the person gave, by name and of the kind that its file declares; the last word on each counts. */
export type Collected = ReadonlyMap<string, unknown>;

/** The same as a summary says it. */
export type Notes = ReadonlyMap<string, string>;

/** As many as an agent's file may declare (schemas/agent.schema.json). */
const mostNotes = 30;
const longestNote = 160;

/**
 * The built-in tool collect keeps its notes in the arguments of its calls, which were checked against what the file declares before they
 * were stored: as fields of their own, or as `field` and `value`.
 */
export function collectedBy(
  toolCalls: readonly Pick<ToolCallRow, 'name' | 'status' | 'arguments'>[],
  definition: Pick<CompiledAgent, 'tools'> | undefined,
): Collected {
  const collect = definition?.tools.find(({ builtin }) => builtin === 'collect');
  const collected = new Map<string, unknown>();
  if (!collect) return collected;
  const isFree = 'field' in Object(collect.parameters.properties) && 'value' in Object(collect.parameters.properties);
  for (const call of toolCalls.filter(({ name, status }) => name === collect.name && status === 'ok')) {
    const { field, value } = call.arguments;
    const fields = isFree ? [[field, value] as const] : Object.entries(call.arguments);
    for (const [name, given] of fields) {
      const key = plainLine(String(name), longestNote);
      if (collected.has(key) || collected.size < mostNotes) collected.set(key, given);
    }
  }
  return collected;
}

export const notesOf = (collected: Collected): Notes =>
  new Map([...collected].map(([name, given]) => [name, plainLine(String(given), longestNote)]));
