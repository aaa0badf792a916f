import type { CompiledTool } from '../definition/compiled.ts';
import type { BuiltinChoices, BuiltinToolFile } from './builtin-tool.ts';
import { collect } from './collect.ts';
import { endCall } from './end-call.ts';
import { switchLanguage } from './switch-language.ts';
import { transfer } from './transfer.ts';

/** Every built-in tool, in the order in which schemas and docs name them. After a change: `npm run generate`. */
const builtinTools = [endCall, switchLanguage, transfer, collect] as const;

export type BuiltinTool = (typeof builtinTools)[number]['name'];

/** With their rows in the docs. */
export const listedBuiltins: readonly Pick<BuiltinToolFile, 'name' | 'docs'>[] = builtinTools;

export const builtinToolNames: readonly BuiltinTool[] = builtinTools.map(({ name }) => name);

/** Undefined for one that this release does not have; a version stored by another release may name it. */
export const builtinNamed = (name: string): BuiltinToolFile | undefined =>
  builtinTools.find((tool) => tool.name === name);

export const isBuiltinTool = (name: string): name is BuiltinTool => builtinNamed(name) !== undefined;

/** Built-in tools only touch the conversation itself. */
const timeoutMs = 10_000;

export function builtinTool(name: BuiltinTool, choices: BuiltinChoices): CompiledTool {
  const { description, parameters } = required(name).declare(choices);
  return { name, description, timeoutMs, idempotent: true, builtin: name, parameters };
}

function required(name: BuiltinTool): BuiltinToolFile {
  const tool = builtinNamed(name);
  if (!tool) throw new Error(`There is no built-in tool ${name}.`);
  return tool;
}
