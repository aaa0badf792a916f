import type { AbleBuiltinTool } from './builtin-tool.ts';

interface LeavingMessages {
  /** Says what is to be left with a machine, if anything is; false where the agent is not calling somebody. */
  leaveMessage(): Promise<boolean>;
}

/** A message of half a minute is said to its end. */
const timeoutMs = 45_000;

export const answeringMachine: AbleBuiltinTool<'answering_machine', LeavingMessages> = {
  name: 'answering_machine',
  docs: 'on a call that the agent makes: a machine has answered. Leaves the `message` of `phone.outbound`, or says nothing, and hangs up; the `outcome` is `no_input`',
  declare: () => ({
    description:
      'You are calling somebody, and no person has answered but a machine: a mailbox, or an announcement that asks to leave a message after the tone. Call it at once and say nothing yourself: it leaves the message that is to be left, and hangs up.',
    parameters: { type: 'object', additionalProperties: false, properties: {} },
    reachesOutside: { timeoutMs },
  }),
  elsewhere: { leaveMessage: async () => false },
  run: async (_args, conversation) => {
    if (!(await conversation.leaveMessage())) return { refuse: 'You are not calling anybody here: this is a person.' };
    conversation.endAfterTurn();
    return { silent: true };
  },
};
