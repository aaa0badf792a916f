import type { BuiltinChoices } from '../builtin-tools/builtin-tool.ts';
import { type BuiltinTool, builtinNamed } from '../builtin-tools/registry.ts';
import type { CompiledTool } from './compiled.ts';

/** Of those that only touch the conversation itself. */
const timeoutMs = 10_000;

/** As every conversation of the agent has it. */
export function builtinTool(name: BuiltinTool, choices: BuiltinChoices): CompiledTool {
  const { description, parameters, reachesOutside } = required(name).declare(choices);
  const kind = reachesOutside ? { ...reachesOutside, idempotent: false } : { timeoutMs, idempotent: true };
  return { name, description, ...kind, builtin: name, parameters };
}

function required(name: BuiltinTool) {
  const tool = builtinNamed(name);
  if (!tool) throw new Error(`There is no built-in tool ${name}.`);
  return tool;
}
