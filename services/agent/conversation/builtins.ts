import type { BuiltinTool } from '../../agent-files/definition/compiled.ts';
import { nothingToAdd, ToolFailure } from './tool-guard.ts';

/** What a built-in tool may do with the conversation that it is called in. */
export interface Conversing {
  /** Whether the agent has said anything in this turn. */
  spoke(): boolean;
  endAfterTurn(): void;
  /** The language's own name. */
  switchLanguage(code: string): Promise<string>;
}

/** Built-in tools touch nothing but the conversation itself. @throws ToolFailure with a sentence for the model */
export async function runBuiltin(
  name: BuiltinTool,
  args: Record<string, unknown>,
  conversation: Conversing,
): Promise<unknown> {
  switch (name) {
    case 'end_call':
      conversation.endAfterTurn();
      return conversation.spoke() ? nothingToAdd : 'The conversation ends now. Say goodbye in one short sentence.';
    case 'switch_language':
      return `From now on answer in ${await conversation.switchLanguage(String(args.language))}.`;
    case 'collect':
      // The call's own row, with its arguments, is the note.
      return 'Noted.';
    case 'transfer':
      throw new ToolFailure('Nobody can be reached to take over. Say so, and offer what you can do yourself.');
    default:
      return name satisfies never;
  }
}
