import { llm, voice } from '@livekit/agents';
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { tokensOf } from '../models/context.ts';
import { turnOverdue } from '../models/failure.ts';
import { HeadStart } from '../models/head-start.ts';
import { keepSessionAlive, type ModelFailure, makeModel, modelFailureOf } from '../models/model.ts';
import { StoppableAgent } from '../models/stoppable-agent.ts';
import type { ModelWatch } from '../models/watch.ts';
import { cutShort } from './history.ts';

export interface ModelSessionOptions {
  definition: CompiledAgent;
  /** Asked for before each answer: the person may hear the answers from now on, or read them again. */
  instructions: () => string;
  language: () => string;
  /** Whether the person hears the answers; absent: never. */
  isSpoken?: () => boolean;
  tools: llm.FunctionTool[];
  history: llm.ChatItem[];
  /** Hears every word as the model says it. */
  onWords: (text: string) => void;
  env: NodeJS.ProcessEnv;
  /** Answers may be begun before they are asked for (`expect`). */
  headStart?: boolean;
  /** Is told of models that do not answer; absent: nobody is. */
  models?: ModelWatch;
}

export interface ModelAnswer {
  /** Why the model could not answer; what it said before that was said. */
  failure: ModelFailure | undefined;
  interrupted: boolean;
  tokens: number;
}

/** What answers the texts of a conversation, one after another. */
export type Answerer = Pick<ModelSession, 'answer' | 'heardOnly' | 'remember' | 'interrupt' | 'close'> &
  Partial<Pick<ModelSession, 'expect' | 'expectNothing'>>;

const goOn =
  'You were cut off in the middle of your last message, which the person has heard. Go on exactly after its last word, without repeating any of it and without a greeting. If nothing is missing, say nothing.';

/**
 * The model's side of one conversation: the framework's session without a room (with one it would open a topic on which
 * anybody reads the prompt). Made when the person is there: no provider is contacted before.
 */
export class ModelSession {
  readonly #session: voice.AgentSession;
  readonly #agent: StoppableAgent;
  readonly #headStart: HeadStart | undefined;
  readonly #instructions: () => string;
  /** Those that the model has. */
  #instructed: string;
  #failure: ModelFailure | undefined;
  /** All that were used, and those of them that were told. */
  #tokens = 0;
  #tokensTold = 0;
  /** What the model knew before its last answer. */
  #answeredAfter: ReadonlySet<string> = new Set();
  #current: voice.SpeechHandle | undefined;

  private constructor(
    agent: StoppableAgent,
    instructed: string,
    { definition, instructions, language, isSpoken = () => false, env, headStart, models }: ModelSessionOptions,
  ) {
    this.#instructions = instructions;
    this.#instructed = instructed;
    const model = makeModel(definition, { language, isSpoken }, env, models);
    this.#headStart = headStart ? new HeadStart(model, (tokens) => this.#used(tokens)) : undefined;
    this.#agent = agent;
    this.#session = new voice.AgentSession({
      llm: this.#headStart ?? model,
      vad: null,
      userAwayTimeout: null,
      maxToolSteps: definition.limits.toolCallsPerTurn,
      connOptions: keepSessionAlive,
      turnHandling: { turnDetection: null } as never,
    });
  }

  /** @throws ProviderMissing, ModelNotConfigured */
  static async start(options: ModelSessionOptions): Promise<ModelSession> {
    const { instructions, tools, history, onWords } = options;
    const instructed = instructions();
    const agent = new StoppableAgent(
      { instructions: instructed, tools, chatCtx: new llm.ChatContext(history) },
      onWords,
    );
    const it = new ModelSession(agent, instructed, options);
    it.#watch();
    await it.#session.start({ agent, record: false });
    return it;
  }

  /** The person has probably said this, and finished: the model begins with the answer, which nobody hears before it is asked for. */
  async expect(text: string): Promise<void> {
    await this.#instruct();
    const context = this.#agent.chatCtx.copy();
    context.addMessage({ role: 'user', content: text });
    this.#headStart?.begin({ chatCtx: context, toolCtx: this.#agent.toolCtx });
  }

  /** The person goes on. */
  expectNothing(): void {
    this.#headStart?.giveUp();
  }

  /**
   * Answers what the person said; without `text`, what the history ends with, and where that is its own words, `goesOn` after them.
   * Resolves when the last word is out. What takes longer than `deadlineMs` is cut, and a failure.
   */
  async answer(text: string | undefined, deadlineMs: number, { goesOn = false } = {}): Promise<ModelAnswer> {
    this.#failure = undefined;
    await this.#instruct();
    this.#answeredAfter = new Set(this.#agent.chatCtx.items.map((item) => item.id));
    const handle = this.#session.generateReply({
      ...(text !== undefined && { userInput: text }),
      ...(goesOn && { instructions: goOn }),
    });
    this.#current = handle;
    let overdue: ModelFailure | undefined;
    const timer = setTimeout(() => {
      overdue = turnOverdue(deadlineMs);
      this.interrupt();
    }, deadlineMs);
    await bestEffort("the session's own event tells of the failure", handle.waitForPlayout());
    clearTimeout(timer);
    this.#current = undefined;
    const failure = overdue ?? this.#failure;
    return { failure, interrupted: handle.interrupted && !overdue, tokens: this.#tokensSince() };
  }

  /** The person cut the last answer short: the model should not believe that it said more than `said`. */
  async heardOnly(said: string): Promise<void> {
    const { items } = this.#agent.chatCtx;
    await this.#agent.updateChatCtx(new llm.ChatContext(cutShort(items, this.#answeredAfter, said)));
  }

  /** The model should know what was said without it: a greeting, a line of the service. */
  async remember(content: string): Promise<void> {
    const context = this.#agent.chatCtx.copy();
    context.addMessage({ role: 'assistant', content });
    await this.#agent.updateChatCtx(context);
  }

  interrupt(): void {
    this.#current?.interrupt(true);
    this.#agent.endReply();
  }

  async close(): Promise<void> {
    this.interrupt();
    this.expectNothing();
    await this.#session.close();
  }

  #watch(): void {
    this.#session.on(voice.AgentSessionEventTypes.Error, (event) => {
      this.#failure = modelFailureOf(event) ?? this.#failure;
    });
    this.#session.on(voice.AgentSessionEventTypes.MetricsCollected, ({ metrics }) => {
      if (metrics.type !== 'llm_metrics') return;
      // Whoever is cut off does not come to tell what was used.
      this.#used(metrics.cancelled && metrics.totalTokens === 0 ? this.#aboutSoFar() : metrics.totalTokens);
    });
  }

  async #instruct(): Promise<void> {
    const instructions = this.#instructions();
    if (instructions === this.#instructed) return;
    this.#instructed = instructions;
    await this.#agent.updateInstructions(instructions);
  }

  /** All that the model was sent for an answer, and what it said by then: it is paid for, and counted by the same rule of thumb as a context. */
  #aboutSoFar(): number {
    const sent = this.#agent.chatCtx.items.filter(({ type }) => type !== 'agent_config_update');
    return Math.ceil(tokensOf(JSON.stringify(sent)));
  }

  #used(tokens: number): void {
    this.#tokens += tokens;
  }

  /** Since they were told last: with those of answers that were begun for nothing. */
  #tokensSince(): number {
    const tokens = this.#tokens - this.#tokensTold;
    this.#tokensTold = this.#tokens;
    return tokens;
  }
}
