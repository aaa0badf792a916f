import { runBuiltin } from '../agent/conversation/builtins.ts';
import { ModelSession } from '../agent/conversation/model-session.ts';
import { type RunTool, ToolFailure, ToolGuard } from '../agent/conversation/tool-guard.ts';
import type { ModelFailure } from '../agent/models/model.ts';
import { abilitiesElsewhere } from '../agent-files/builtin-tools/registry.ts';
import type { CompiledAgent, CompiledLanguage, CompiledTool } from '../agent-files/definition/compiled.ts';
import { renderInstructions } from '../agent-files/definition/instructions.ts';
import type { Scenario } from '../contract/generated/scenario.ts';
import type { ToolOutcome } from '../contract/session.ts';
import { bestEffort } from '../process/best-effort.ts';
import type { Variables } from '../process/variables.ts';

export interface Call {
  name: string;
  arguments: Record<string, unknown>;
  status: 'started' | ToolOutcome;
}

/** What the agent did with one text of the person. */
export interface Answer {
  said: string;
  calls: Call[];
  /** Whether the conversation is over. */
  ended: boolean;
  /** Code of the language that the conversation is in now. */
  language: string;
  failure: ModelFailure | undefined;
  /** Tools that were called although the scenario gives no answer for them. */
  unanswered: string[];
}

export interface RehearsalDeps {
  env: Variables;
  /** Runs tools that the scenario has no answer for; undefined when nothing outside may be called. */
  runTool: RunTool | undefined;
}

const turnDeadlineMs = 120_000;

/** A conversation without a room and without a database, on the same model, tools' guard and built-in tools as a session's. */
export class Rehearsal implements Disposable {
  readonly #definition: CompiledAgent;
  readonly #scenario: Scenario;
  readonly #deps: RehearsalDeps;
  #said = '';
  readonly #guard: ToolGuard;
  #model: ModelSession | undefined;
  #language: CompiledLanguage;
  #calls: Call[] = [];
  #unanswered: string[] = [];
  #ended = false;

  private constructor(deps: RehearsalDeps, definition: CompiledAgent, scenario: Scenario) {
    this.#deps = deps;
    this.#definition = definition;
    this.#scenario = scenario;
    this.#language = languageOf(definition, scenario.language ?? definition.defaultLanguage);
    this.#guard = new ToolGuard(definition.limits, this.#ledger(), (tool, args, call) => this.#run(tool, args, call));
  }

  /** @throws ModelNotConfigured when the agent's model can't be used here */
  static async start(deps: RehearsalDeps, definition: CompiledAgent, scenario: Scenario): Promise<Rehearsal> {
    const rehearsal = new Rehearsal(deps, definition, scenario);
    await rehearsal.#wake();
    return rehearsal;
  }

  async say(text: string): Promise<Answer> {
    this.#said = '';
    this.#guard.newTurn();
    this.#calls = [];
    this.#unanswered = [];
    const thought = await this.#model?.answer(text, turnDeadlineMs);
    return {
      said: this.#said.trim(),
      calls: this.#calls,
      ended: this.#ended,
      language: this.#language.code,
      failure: thought?.failure,
      unanswered: this.#unanswered,
    };
  }

  /** Nobody waits for it: the framework takes half a second to close a session, in which it only waits for speech. */
  [Symbol.dispose](): void {
    void bestEffort('what it said is reported already', this.#model?.close());
  }

  async #wake(): Promise<void> {
    const { language, now } = this.#scenario;
    const instructions = renderInstructions(this.#definition, {
      now: now === undefined ? new Date() : new Date(now),
      language: language ?? this.#definition.defaultLanguage,
      channel: 'api',
    });
    this.#model = await ModelSession.start({
      definition: this.#definition,
      instructions: () => instructions,
      language: () => this.#language.code,
      tools: this.#definition.tools.map((tool) => this.#guard.wrap(tool)),
      history: [],
      onWords: (text) => {
        this.#said += text;
      },
      env: this.#deps.env,
    });
    if (this.#language.greeting) await this.#model.remember(this.#language.greeting);
  }

  #ledger() {
    const byId = new Map<string, Call>();
    return {
      started: async ({ id, name, args }: { id: string; name: string; args: Record<string, unknown> }) => {
        const call: Call = { name, arguments: args, status: 'started' };
        byId.set(id, call);
        this.#calls.push(call);
        return true;
      },
      finished: ({ id, status }: { id: string; status: ToolOutcome }) => {
        const call = byId.get(id);
        if (call) call.status = status;
      },
    };
  }

  async #run(
    tool: CompiledTool,
    args: Record<string, unknown>,
    call: { id: string; signal: AbortSignal },
  ): Promise<unknown> {
    const answer = this.#scenario.tools[tool.name];
    if (answer?.error !== undefined) throw new ToolFailure(answer.error);
    if (answer) return answer.result;
    if (tool.builtin) return this.#builtin(tool.builtin, args);
    if (this.#deps.runTool) return this.#deps.runTool(tool, args, call);
    this.#unanswered.push(tool.name);
    throw new ToolFailure(`The tool "${tool.name}" is not available here.`);
  }

  #builtin(name: NonNullable<CompiledTool['builtin']>, args: Record<string, unknown>): Promise<unknown> {
    return runBuiltin(name, args, {
      spoke: () => this.#said !== '',
      endAfterTurn: () => {
        this.#ended = true;
      },
      switchLanguage: async (code) => {
        this.#language = languageOf(this.#definition, code);
        return this.#language.name;
      },
      // A scenario says itself what came of it (`tools:`).
      ...abilitiesElsewhere,
    });
  }
}

function languageOf({ languages }: CompiledAgent, code: string): CompiledLanguage {
  const wanted = code.toLowerCase();
  const language = languages.find((configured) => configured.code.toLowerCase() === wanted) ?? languages[0];
  if (!language) throw new Error('an agent without languages cannot be activated');
  return language;
}
