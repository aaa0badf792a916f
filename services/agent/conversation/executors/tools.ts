import type { Transferred } from '../../../agent-files/builtin-tools/builtin-tool.ts';
import type { CompiledTool } from '../../../agent-files/definition/compiled.ts';
import { runBuiltin } from '../builtins.ts';
import { type CanSpeak, switchLanguage } from '../language.ts';
import type { Loaded } from '../loading.ts';
import type { Output } from '../output.ts';
import type { SessionRecord } from '../session-record.ts';
import type { TurnFact } from '../state/fact.ts';
import type { RunTool } from '../tool-guard.ts';
import type { Speech } from './speech.ts';

export interface ToolsParts {
  post: (fact: TurnFact) => void;
  loaded: Loaded;
  record: SessionRecord;
  speech: () => Speech;
  /** Says a line in the middle of the turn that calls. */
  interject: (line: string) => void;
  /** Puts the caller through to a destination of the agent's file. */
  transfer: (destination: string) => Promise<Transferred>;
  /** Of the turn that calls. */
  output: () => Output | undefined;
  isSpoken: () => boolean;
  canSpeak: CanSpeak;
  /** Runs those that reach outside the conversation. */
  runOutside: RunTool;
}

/** Runs the tools that the model calls. */
export class Tools {
  readonly #parts: ToolsParts;

  constructor(parts: ToolsParts) {
    this.#parts = parts;
  }

  readonly run: RunTool = async (tool, args, call) => {
    const { post, output, runOutside } = this.#parts;
    if (!tool.builtin) return this.#atLength(tool, runOutside(tool, args, call));
    return runBuiltin(tool.builtin, args, {
      spoke: () => output()?.hasWords ?? false,
      endAfterTurn: () => post({ kind: 'end_wanted', reason: 'agent_ended' }),
      switchLanguage: (code) => this.#switchLanguage(code),
      transfer: (destination) => this.#transfer(destination),
    });
  };

  /** The person who speaks meanwhile is answered after it, and hears that somebody is there. */
  async #atLength(tool: CompiledTool, work: Promise<unknown>): Promise<unknown> {
    const { post, speech, interject } = this.#parts;
    post({ kind: 'tool_began', interruptible: tool.interruptible ?? false });
    return speech()
      .fillSilence(work, interject)
      .finally(() => post({ kind: 'tool_ended' }));
  }

  /** Who speaks while it rings is answered after it. */
  async #transfer(destination: string): Promise<Transferred> {
    const { post, transfer } = this.#parts;
    post({ kind: 'tool_began', interruptible: false });
    return transfer(destination).finally(() => post({ kind: 'tool_ended' }));
  }

  async #switchLanguage(code: string): Promise<string> {
    const { loaded, record, isSpoken, canSpeak, speech } = this.#parts;
    const name = await switchLanguage({ loaded, record, isSpoken: isSpoken(), canSpeak }, code);
    speech().languageChanged();
    return name;
  }
}
