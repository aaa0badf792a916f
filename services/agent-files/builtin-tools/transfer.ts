import type { BuiltinToolFile } from './builtin-tool.ts';

export const transfer: BuiltinToolFile<'transfer'> = {
  name: 'transfer',
  docs: 'answers that nobody can be reached: there is nobody yet to hand a conversation to',
  declare: () => ({
    description: 'Hands the conversation over to a human. Call it when the person asks for one or you cannot help.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { reason: { type: 'string', maxLength: 500, description: 'What the human should know.' } },
    },
  }),
  run: () => ({ refuse: 'Nobody can be reached to take over. Say so, and offer what you can do yourself.' }),
};
