/** What a model reads of a conversation; nothing else decides what the scripted one answers. */
export type ConversationItem =
  | { role: 'user' | 'assistant'; text: string }
  | { call: { tool: string; arguments: unknown } }
  | { result: { ok: boolean; output: unknown } };

/** What the agent does next. `end` asks for the builtin tool `end_call` once the words are said. */
export type Step = { say: string; end?: boolean } | { call: { tool: string; arguments: Record<string, unknown> } };

/** What the engine needs to know of a tool: the types its arguments should have. */
export interface ToolShape {
  name: string;
  parameters: Record<string, unknown>;
}
