import type { Conversing } from '../../agent-files/builtin-tools/builtin-tool.ts';
import { type Abilities, builtinNamed } from '../../agent-files/builtin-tools/registry.ts';
import { nothingToAdd, ToolFailure } from './tool-guard.ts';

/** Built-in tools touch nothing but the conversation itself. @throws ToolFailure with a sentence for the model */
export async function runBuiltin(
  name: string,
  args: Record<string, unknown>,
  conversation: Conversing & Abilities,
): Promise<unknown> {
  const answer = await builtinNamed(name)?.run(args, conversation);
  if (!answer) throw new Error(`there is no built-in tool ${name}`);
  if ('refuse' in answer) throw new ToolFailure(answer.refuse);
  if ('doubt' in answer) throw new ToolFailure({ status: 'unknown', message: answer.doubt });
  return 'tell' in answer ? answer.tell : nothingToAdd;
}
