import { randomUUID } from 'node:crypto';
import { llm, voice } from '@livekit/agents';
import { hashOf } from '../../agent-files/compile/hash.ts';
import type { CompiledLimits, CompiledTool } from '../../agent-files/definition/compiled.ts';
import type { ToolOutcome } from '../../contract/session.ts';
import { TooLate, unlessAborted, within } from '../../process/within.ts';
import { failed, onlyReads, seconds, type ToolMiss, unanswered } from '../tools/result.ts';
import { type ArgumentsCheck, makeArgumentsCheck } from '../tools/validate.ts';

type JsonSchema = Record<string, never>;

/** What really does a tool's work. Its failures are thrown with a sentence that the model may read. */
export type RunTool = (
  tool: CompiledTool,
  args: Record<string, unknown>,
  call: { id: string; signal: AbortSignal },
) => Promise<unknown>;

export interface ToolLedger {
  /** Commits that the call is about to run. False: another host owns the session, or it is over. @throws when the database is away */
  started(call: { id: string; name: string; args: Record<string, unknown> }): Promise<boolean>;
  finished(call: { id: string; status: ToolOutcome; result: string }): void;
}

/** What a model is told; nothing else about a failure reaches it. */
export const told = {
  away: 'This cannot be done at the moment. Say so, and offer to try again later.',
  lost: 'This conversation continues elsewhere.',
  repeated: (count: number) =>
    `You have made this exact call ${count} times in a row. Do not repeat it; tell the person what you know.`,
};

/** Compiling a schema costs milliseconds; a version's tools are shared by all its sessions on this host. */
const checks = new WeakMap<CompiledTool, ArgumentsCheck>();

function checkOf(tool: CompiledTool): ArgumentsCheck {
  const check = checks.get(tool) ?? makeArgumentsCheck(tool);
  checks.set(tool, check);
  return check;
}

/** The sentence that asks for keys is said by then (`askingMs` of executors/executors.ts: 10 s at most). */
const askedWithinMs = 15_000;

/** What a tool gives back that needs no further word of the model in this turn. */
export const nothingToAdd = Symbol('nothing to add');

/** Why a tool has no answer, told to the model and only to it. A sentence alone means that nothing was done. */
export class ToolFailure extends Error {
  readonly miss: ToolMiss;

  constructor(miss: ToolMiss | string) {
    const { message, status } = typeof miss === 'string' ? failed(miss) : miss;
    super(message);
    this.miss = { message, status };
  }
}

/** All that a model may read of what went wrong. An error that nobody foresaw may come from amid the work, unless the work is the conversation's own. */
export function missOf(tool: CompiledTool, error: unknown): ToolMiss {
  if (error instanceof ToolFailure) return error.miss;
  const message = `The tool "${tool.name}" failed.`;
  return tool.builtin && tool.idempotent ? failed(message) : unanswered(tool, message);
}

/**
 * Every call a model makes goes through here: it is written down before it runs, its timeout is enforced, equal calls in a
 * row and calls in one turn are bounded, and whatever goes wrong reaches the model as one sentence.
 */
export class ToolGuard {
  readonly #limits: Pick<CompiledLimits, 'toolCallsPerTurn' | 'equalToolCalls'>;
  readonly #ledger: ToolLedger;
  readonly #run: RunTool;
  #calledThisTurn = 0;
  #toolsMs = 0;
  #last = '';
  #lastMayRepeat = false;
  #equal = 0;

  constructor(limits: Pick<CompiledLimits, 'toolCallsPerTurn' | 'equalToolCalls'>, ledger: ToolLedger, run: RunTool) {
    this.#limits = limits;
    this.#ledger = ledger;
    this.#run = run;
  }

  /** Milliseconds that this turn's tools took. */
  get toolsMs(): number {
    return this.#toolsMs;
  }

  /** Whether the model has called any in this turn. */
  get hasCalled(): boolean {
    return this.#calledThisTurn > 0;
  }

  newTurn(): void {
    this.#toolsMs = 0;
    this.#calledThisTurn = 0;
    // Who asks twice for what may have changed gets two answers; what does something is not done again turn after turn.
    if (this.#lastMayRepeat) this.#equal = 0;
  }

  /** The tool as the framework takes it. */
  wrap(tool: CompiledTool): llm.FunctionTool {
    return llm.tool({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters as JsonSchema,
      execute: (args, { abortSignal }) => this.#execute(tool, args, abortSignal),
    });
  }

  async #execute(tool: CompiledTool, args: Record<string, unknown>, aborted: AbortSignal): Promise<unknown> {
    this.#refuseLoops(tool, args);
    const checked = checkOf(tool)(args);
    if (checked.status !== 'ok') throw new llm.ToolError(checked.message);
    const id = randomUUID();
    const owned = await this.#ledger.started({ id, name: tool.name, args }).catch(() => {
      throw new llm.ToolError(told.away);
    });
    if (!owned) throw new llm.ToolError(told.lost);
    const begunAt = performance.now();
    const run = withDeadline(tool, aborted, (signal) => this.#run(tool, args, { id, signal })).finally(() => {
      this.#toolsMs += performance.now() - begunAt;
    });
    try {
      const result = await run;
      this.#ledger.finished({ id, status: 'ok', result: JSON.stringify(result) ?? '' });
      if (result === nothingToAdd) throw new voice.StopResponse();
      return result;
    } catch (error) {
      if (error instanceof voice.StopResponse) throw error;
      const { status, message } = missOf(tool, error);
      this.#ledger.finished({ id, status, result: message });
      throw new llm.ToolError(message);
    }
  }

  #refuseLoops(tool: CompiledTool, args: Record<string, unknown>): void {
    this.#calledThisTurn += 1;
    // A model that goes on although it was told to stop is not asked again in this turn.
    if (this.#calledThisTurn > this.#limits.toolCallsPerTurn) throw new voice.StopResponse();
    const call = `${tool.name} ${fingerprint(args)}`;
    this.#equal = call === this.#last ? this.#equal + 1 : 1;
    this.#last = call;
    this.#lastMayRepeat = tool.idempotent || onlyReads(tool);
    if (this.#equal > this.#limits.equalToolCalls) throw new llm.ToolError(told.repeated(this.#equal - 1));
  }
}

/** Equal for equal arguments, in whatever order they come; all that cannot be read are equal. */
function fingerprint(args: Record<string, unknown>): string {
  try {
    return hashOf(args);
  } catch {
    return 'unreadable';
  }
}

/** Before the tool begins: what the person is asked for is said and typed. */
const typingMs = ({ keypad }: CompiledTool): number => (keypad ? keypad.timeoutMs + askedWithinMs : 0);

/** Ends after the tool's timeout whatever the tool does; the tool hears of it by its signal. */
export async function withDeadline<Result>(
  tool: CompiledTool,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { name, timeoutMs } = tool;
  // A signal that has fired already tells nobody: the turn was cut while the call was written down, so nothing runs.
  if (outer?.aborted) throw new ToolFailure('It was interrupted.');
  try {
    return await within(timeoutMs + typingMs(tool), name, (late) =>
      outer ? unlessAborted(outer, work(AbortSignal.any([late, outer]))) : work(late),
    );
  } catch (error) {
    // The request is out, and its answer is not waited for: what it did shows later, if ever.
    if (outer?.aborted && error === outer.reason) throw new ToolFailure(unanswered(tool, 'It was interrupted.'));
    if (!(error instanceof TooLate)) throw error;
    const message = `${name} did not answer within ${seconds(timeoutMs)} and was given up.`;
    throw new ToolFailure(unanswered(tool, message));
  }
}
