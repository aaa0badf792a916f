import type { TransferDestination } from '../../contract/generated/agent.ts';
import type { AbleBuiltinTool, BuiltinAnswer, Declaration } from './builtin-tool.ts';

interface PuttingThrough {
  /** Puts the caller through to a destination of the agent's file. Resolves when somebody answered there, or nobody did. */
  transfer(destination: string): Promise<Transferred>;
}

/** `unknown`: the call was over before anybody told. `not_here`: the person is not on the telephone, or there is no such destination. */
export type Transferred = 'answered' | 'busy' | 'no_answer' | 'refused' | 'unknown' | 'not_here';

/** The caller hears it ring for so long (`ringingSeconds` of services/core/telephony/transfer.ts), after the sentence that announces it. */
const timeoutMs = 60_000;

export const transfer: AbleBuiltinTool<'transfer', PuttingThrough> = {
  name: 'transfer',
  docs: 'puts a caller through to a destination of `phone.transfers`, by its name; where there is none, or the person is not on the telephone, it answers that nobody can be reached',
  declare: ({ transfers }) => (transfers ? puttingThrough(transfers) : reachingNobody),
  elsewhere: { transfer: async () => 'not_here' },
  run: async ({ to }, conversation) => {
    const came = typeof to === 'string' ? await conversation.transfer(to) : 'not_here';
    if (came === 'answered') conversation.endAfterTurn();
    return answers[came];
  },
};

const reason = { type: 'string', maxLength: 500, description: 'What the human should know.' };

const reachingNobody: Declaration = {
  description: 'Hands the conversation over to a human. Call it when the person asks for one or you cannot help.',
  parameters: { type: 'object', additionalProperties: false, properties: { reason } },
};

const puttingThrough = (transfers: Readonly<Record<string, TransferDestination>>): Declaration => ({
  description: [
    'Puts the caller through to a human on the telephone. Call it when they ask for one or you cannot help.',
    'They are told so beforehand: do not announce it yourself. Destinations:',
    ...Object.entries(transfers).map(([name, { description }]) => `${name}: ${description}`),
  ].join('\n'),
  parameters: {
    type: 'object',
    additionalProperties: false,
    required: ['to'],
    properties: { to: { type: 'string', enum: Object.keys(transfers) }, reason },
  },
  reachesOutside: { timeoutMs },
});

const goOn = 'The person is still on the line with you: say so, and offer what you can do yourself.';

const answers: Record<Transferred, BuiltinAnswer> = {
  answered: { silent: true },
  busy: { refuse: `The line there is busy. ${goOn}` },
  no_answer: { refuse: `Nobody answered there. ${goOn}` },
  refused: { refuse: `The call was not put through: it was refused. ${goOn}` },
  unknown: { doubt: 'Whether anybody answered there is not known.' },
  not_here: { refuse: 'Nobody can be reached to take over. Say so, and offer what you can do yourself.' },
};
