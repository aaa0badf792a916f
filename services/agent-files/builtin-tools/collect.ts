import type { CollectedField } from '../../contract/generated/agent.ts';
import type { BuiltinToolFile, Declaration } from './builtin-tool.ts';

const longestText = 500;

export const collect: BuiltinToolFile<'collect'> = {
  name: 'collect',
  docs: 'notes what the person gave',
  declare: ({ collect: fields }) => (fields ? collecting(fields) : collectingAnything),
  // The call's own row, with its arguments, is the note.
  run: () => ({ tell: 'Noted.' }),
};

const collectingAnything: Declaration = {
  description: 'Notes one piece of information that the person gave, so that it is kept with the conversation.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['field', 'value'],
    properties: {
      field: { type: 'string', minLength: 1, maxLength: 60, description: 'What it is, such as name or phone.' },
      value: { type: 'string', minLength: 1, maxLength: longestText, description: 'What the person said.' },
    },
  },
};

const collecting = (fields: Readonly<Record<string, CollectedField>>): Declaration => ({
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
