import type { BuiltinToolFile } from './builtin-tool.ts';

export const endCall: BuiltinToolFile<'end_call'> = {
  name: 'end_call',
  docs: 'the conversation ends after the words that are being said',
  declare: () => ({
    description:
      'Ends the conversation. Call it when the person has said goodbye or clearly needs nothing more, after your closing words.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      properties: { reason: { type: 'string', maxLength: 200, description: 'Why the conversation is over.' } },
    },
  }),
  run: (_args, conversation) => {
    conversation.endAfterTurn();
    if (conversation.spoke()) return { silent: true };
    return { tell: 'The conversation ends now. Say goodbye in one short sentence.' };
  },
};
