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

/** A tool that needs more of a conversation than every one has. Its file says what, and what stands for it where there is none. */
export interface AbleBuiltinTool<Name extends string, Ability extends object> extends BuiltinToolFile<Name> {
  /** In a scenario, and for a host that takes the conversation over. */
  readonly elsewhere: Ability;
  run(
    args: Readonly<Record<string, unknown>>,
    conversation: Conversing & Ability,
  ): BuiltinAnswer | Promise<BuiltinAnswer>;
}

/** What every conversation lets a built-in tool do. */
export interface Conversing {
  /** Whether the agent has said anything in this turn. */
  spoke(): boolean;
  endAfterTurn(): void;
  /** The language's own name. */
  switchLanguage(code: string): Promise<string>;
}

/** A sentence for the model. `refuse`: nothing was done. `doubt`: nobody knows whether it was. `silent`: nothing needs to be said any more in this turn. */
export type BuiltinAnswer = { tell: string } | { refuse: string } | { doubt: string } | { silent: true };
