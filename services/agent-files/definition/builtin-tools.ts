import type { CollectedField } from '../../contract/generated/agent.ts';
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

/** What an agent's file says that its built-in tools depend on. */
export interface BuiltinChoices {
  /** Codes that switch_language may choose. */
  languages: readonly string[];
  /** What collect may note; undefined: anything. */
  collect: Readonly<Record<string, CollectedField>> | undefined;
}

export function builtinTool(name: BuiltinTool, { languages, collect }: BuiltinChoices): CompiledTool {
  const { description, parameters } = declarations[name];
  const compiled = { name, description, timeoutMs, idempotent: true, builtin: name, parameters };
  if (name === 'switch_language') {
    return {
      ...compiled,
      parameters: { ...parameters, properties: { language: { type: 'string', enum: [...languages] } } },
    };
  }
  return name === 'collect' && collect ? { ...compiled, ...collecting(collect) } : compiled;
}

const longestText = 500;

const collecting = (
  fields: Readonly<Record<string, CollectedField>>,
): Pick<CompiledTool, 'description' | 'parameters'> => ({
  description:
    'Notes what the person gave, so that it is kept with the conversation. Call it as soon as one of these is known, with those that are, and again when one changes.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [
        name,
        field.type === 'string' ? { ...field, minLength: 1, maxLength: longestText } : field,
      ]),
    ),
  },
});
