import type { CollectedField, TransferDestination } from '../../contract/generated/agent.ts';

/** A tool that touches nothing but the conversation it is called in. */
export interface BuiltinToolFile<Name extends string = string> {
  readonly name: Name;
  /** Its row in docs/write-agents/tools.md. */
  readonly docs: string;
  /** What the model is told of it. */
  declare(choices: BuiltinChoices): Declaration;
  run(args: Readonly<Record<string, unknown>>, conversation: Conversing): BuiltinAnswer | Promise<BuiltinAnswer>;
}

/** What an agent's file says that its built-in tools depend on. */
export interface BuiltinChoices {
  /** Codes that switch_language may choose. */
  languages: readonly string[];
  /** What collect may note; undefined: anything. */
  collect: Readonly<Record<string, CollectedField>> | undefined;
  /** To whom transfer may put a caller through; undefined: to nobody. */
  transfers: Readonly<Record<string, TransferDestination>> | undefined;
}

export interface Declaration {
  description: string;
  /** JSON Schema of the arguments object. */
  parameters: Record<string, unknown>;
  /** Where it does more than touch the conversation: it takes so long at most, and is not done again when nobody knows what came of it. */
  reachesOutside?: { timeoutMs: number };
}

/** What a built-in tool may do with the conversation that it is called in. */
export interface Conversing extends ByTelephone {
  /** Whether the agent has said anything in this turn. */
  spoke(): boolean;
  endAfterTurn(): void;
  /** The language's own name. */
  switchLanguage(code: string): Promise<string>;
}

/** Of these, what takes a person on the telephone. */
export interface ByTelephone {
  /** Puts the caller through to a destination of the agent's file. Resolves when somebody answered there, or nobody did. */
  transfer(destination: string): Promise<Transferred>;
  /** 0 to 9, * and #; false where the person is not on the telephone. */
  pressKeys(keys: string): Promise<boolean>;
  /** Says what is to be left with a machine, if anything is; false where the agent is not calling somebody. */
  leaveMessage(): Promise<boolean>;
}

/** Where nobody is on the telephone. */
export const offTheTelephone: ByTelephone = {
  transfer: async () => 'not_here',
  pressKeys: async () => false,
  leaveMessage: async () => false,
};

/** `unknown`: the call was over before anybody told. `not_here`: the person is not on the telephone, or there is no such destination. */
export type Transferred = 'answered' | 'busy' | 'no_answer' | 'refused' | 'unknown' | 'not_here';

/** A sentence for the model. `refuse`: nothing was done. `doubt`: nobody knows whether it was. `silent`: nothing needs to be said any more in this turn. */
export type BuiltinAnswer = { tell: string } | { refuse: string } | { doubt: string } | { silent: true };
