import type { CompiledKeypad, CompiledTool } from '../../../agent-files/definition/compiled.ts';
import { runBuiltin } from '../builtins.ts';
import { type CanSpeak, switchLanguage } from '../language.ts';
import type { Loaded } from '../loading.ts';
import type { Output } from '../output.ts';
import type { SessionRecord } from '../session-record.ts';
import type { TurnFact } from '../state/fact.ts';
import { type RunTool, ToolFailure } from '../tool-guard.ts';
import { type BuiltinHost, builtinAbilities } from './builtin-abilities.ts';
import type { Speech } from './speech.ts';

export interface ToolsParts {
  post: (fact: TurnFact) => void;
  loaded: Loaded;
  record: SessionRecord;
  speech: () => Speech;
  /** The person hears that somebody is there while a tool takes long. */
  fillSilence: <Result>(work: Promise<Result>) => Promise<Result>;
  /** What the abilities of built-in tools are made of. */
  host: Omit<BuiltinHost, 'uninterrupted'>;
  /** What the person types on their telephone, asked for first; undefined where nobody is on the telephone. */
  askForKeys: (wanted: CompiledKeypad, signal: AbortSignal) => Promise<string | undefined>;
  /** Of the turn that calls. */
  output: () => Output | undefined;
  isSpoken: () => boolean;
  canSpeak: CanSpeak;
  /** Runs those that reach outside the conversation. */
  runOutside: RunTool;
}

const notByTelephone =
  'This is typed on the keys of a telephone, and the person is not on one. Say so, and offer what you can do yourself.';

const tooFewKeys = (typed: number, least: number): string =>
  `The person typed ${typed} digits where at least ${least} are needed, so nothing was done. Tell them, and offer to try again.`;

/** Runs the tools that the model calls. */
export class Tools {
  readonly #parts: ToolsParts;

  constructor(parts: ToolsParts) {
    this.#parts = parts;
  }

  readonly run: RunTool = async (tool, args, call) => {
    const { post, output, runOutside, host } = this.#parts;
    if (!tool.builtin) {
      const typed = tool.keypad && (await this.#typed(tool.keypad, call.signal));
      return this.#atLength(tool, runOutside(tool, { ...args, ...typed }, call));
    }
    return runBuiltin(tool.builtin, args, {
      spoke: () => output()?.hasWords ?? false,
      endAfterTurn: () => post({ kind: 'end_wanted', reason: 'agent_ended' }),
      switchLanguage: (code) => this.#switchLanguage(code),
      ...builtinAbilities({ ...host, uninterrupted: (work) => this.#untilItIsOver(work) }),
    });
  };

  /** The person who speaks meanwhile is answered after it, and hears that somebody is there. */
  async #atLength(tool: CompiledTool, work: Promise<unknown>): Promise<unknown> {
    const { post, fillSilence } = this.#parts;
    post({ kind: 'tool_began', interruptible: tool.interruptible ?? false });
    return fillSilence(work).finally(() => post({ kind: 'tool_ended' }));
  }

  /** The argument that the person types. @throws ToolFailure where they did not */
  async #typed(keypad: CompiledKeypad, signal: AbortSignal): Promise<Record<string, string>> {
    const digits = await this.#untilItIsOver(this.#parts.askForKeys(keypad, signal));
    if (digits === undefined) throw new ToolFailure(notByTelephone);
    if (digits.length < keypad.least) throw new ToolFailure(tooFewKeys(digits.length, keypad.least));
    return { [keypad.parameter]: digits };
  }

  /** Who speaks meanwhile is answered after it. */
  #untilItIsOver<Result>(work: Promise<Result>): Promise<Result> {
    const { post } = this.#parts;
    post({ kind: 'tool_began', interruptible: false });
    return work.finally(() => post({ kind: 'tool_ended' }));
  }

  async #switchLanguage(code: string): Promise<string> {
    const { loaded, record, isSpoken, canSpeak, speech } = this.#parts;
    const name = await switchLanguage({ loaded, record, isSpoken: isSpoken(), canSpeak }, code);
    speech().languageChanged();
    return name;
  }
}
