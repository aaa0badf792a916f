import type { BuiltinToolFile } from './builtin-tool.ts';

export const switchLanguage: BuiltinToolFile<'switch_language'> = {
  name: 'switch_language',
  docs: "goes on in another of the agent's languages; the session keeps it. In a spoken one where the host cannot hear or speak that language, nothing changes and the model is told to say so",
  declare: ({ languages }) => ({
    description:
      'Continues the conversation in another language. Call it when the person asks for one or writes in one.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['language'],
      properties: { language: { type: 'string', enum: [...languages] } },
    },
  }),
  run: async ({ language }, conversation) => ({
    tell: `From now on answer in ${await conversation.switchLanguage(String(language))}.`,
  }),
};
