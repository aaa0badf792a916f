import type { BuiltinTool, CompiledTool } from './compiled.ts';

/** Built-in tools only touch the conversation itself. */
const timeoutMs = 10_000;

const declarations: Record<BuiltinTool, Pick<CompiledTool, 'description' | 'parameters'>> = {
  end_call: {
    description:
      'Ends the conversation. Call it when the person has said goodbye or clearly needs nothing more, after your closing words.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { reason: { type: 'string', maxLength: 200, description: 'Why the conversation is over.' } },
    },
  },
  switch_language: {
    description:
      'Continues the conversation in another language. Call it when the person asks for one or writes in one.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['language'],
      properties: { language: { type: 'string', maxLength: 35, description: 'Code of the language.' } },
    },
  },
  transfer: {
    description: 'Hands the conversation over to a human. Call it when the person asks for one or you cannot help.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { reason: { type: 'string', maxLength: 500, description: 'What the human should know.' } },
    },
  },
  collect: {
    description: 'Notes one piece of information that the person gave, so that it is kept with the conversation.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['field', 'value'],
      properties: {
        field: { type: 'string', minLength: 1, maxLength: 60, description: 'What it is, such as name or phone.' },
        value: { type: 'string', minLength: 1, maxLength: 500, description: 'What the person said.' },
      },
    },
  },
};

export const builtinToolNames = Object.keys(declarations) as BuiltinTool[];

export const isBuiltinTool = (name: string): name is BuiltinTool => Object.hasOwn(declarations, name);

/** The built-in tool of this name; `languages` are the codes that switch_language may choose. */
export function builtinTool(name: BuiltinTool, languages: readonly string[]): CompiledTool {
  const { description, parameters } = declarations[name];
  const compiled = { name, description, timeoutMs, idempotent: true, builtin: name };
  if (name !== 'switch_language') return { ...compiled, parameters };
  return {
    ...compiled,
    parameters: { ...parameters, properties: { language: { type: 'string', enum: [...languages] } } },
  };
}
