import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';
import { plainLine } from './plain-text.ts';

/** What the agent noted of what the person gave, by name; the last word on each counts. */
export type Notes = ReadonlyMap<string, string>;

const mostNotes = 30;
const longestNote = 160;

/** The built-in tool collect keeps its notes in the arguments of its calls: as fields of their own, or as `field` and `value`. */
export function notesOf(
  toolCalls: readonly Pick<ToolCallRow, 'name' | 'status' | 'arguments'>[],
  definition: Pick<CompiledAgent, 'tools'> | undefined,
): Notes {
  const collect = definition?.tools.find(({ builtin }) => builtin === 'collect');
  const notes = new Map<string, string>();
  if (!collect) return notes;
  const isFree = 'field' in Object(collect.parameters.properties) && 'value' in Object(collect.parameters.properties);
  for (const call of toolCalls.filter(({ name, status }) => name === collect.name && status === 'ok')) {
    const { field, value } = call.arguments;
    const fields = isFree ? [[field, value]] : Object.entries(call.arguments);
    for (const [name, given] of fields) {
      const key = plainLine(String(name), longestNote);
      if (notes.has(key) || notes.size < mostNotes) notes.set(key, plainLine(String(given), longestNote));
    }
  }
  return notes;
}
