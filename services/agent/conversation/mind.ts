import { llm, voice } from '@livekit/agents';
import type { CompiledAgent } from '../../contract/agents/compiled.ts';
import { keepSessionAlive, type ModelFailure, makeModel, modelFailureOf } from '../providers/model.ts';
import { StoppableAgent } from '../providers/stoppable-agent.ts';
import { cutShort, withinContext } from './history.ts';

export interface MindOptions {
  definition: CompiledAgent;
  instructions: string;
  language: () => string;
  tools: llm.FunctionTool[];
  history: llm.ChatItem[];
  /** Hears every word as the model says it. */
  onWords: (text: string) => void;
  env: NodeJS.ProcessEnv;
}

export interface Thought {
  /** Why the model could not answer; what it said before that was said. */
  failure: ModelFailure | undefined;
  interrupted: boolean;
  tokens: number;
}

/** What answers the texts of a conversation, one after another. */
export type Thinker = Pick<Mind, 'answer' | 'heardOnly' | 'remember' | 'interrupt' | 'close'>;

/**
 * The model's side of one conversation: the framework's session without a room (with one it would open a topic on which
 * anybody reads the prompt). Made when the person is there: no provider is contacted before.
 */
export class Mind {
  readonly #session: voice.AgentSession;
  readonly #agent: StoppableAgent;
  readonly #maxTokens: number;
  #failure: ModelFailure | undefined;
  #tokens = 0;
  /** What the model knew before its last answer. */
  #answeredAfter: ReadonlySet<string> = new Set();
  #current: voice.SpeechHandle | undefined;

  private constructor(session: voice.AgentSession, agent: StoppableAgent, maxTokens: number) {
    this.#session = session;
    this.#agent = agent;
    this.#maxTokens = maxTokens;
  }

  /** @throws ProviderMissing, ModelNotConfigured */
  static async start({ definition, instructions, language, tools, history, onWords, env }: MindOptions): Promise<Mind> {
    const agent = new StoppableAgent({ instructions, tools, chatCtx: new llm.ChatContext(history) }, onWords);
    const session = new voice.AgentSession({
      llm: makeModel(definition, language, env),
      vad: null,
      userAwayTimeout: null,
      maxToolSteps: definition.limits.toolCallsPerTurn,
      connOptions: keepSessionAlive,
      turnHandling: { turnDetection: null } as never,
    });
    const mind = new Mind(session, agent, definition.context.maxTokens);
    mind.#watch();
    await session.start({ agent, record: false });
    return mind;
  }

  /** Answers what the person said; without `text`, what the history ends with. Resolves when the last word is out. */
  async answer(text: string | undefined, deadlineMs: number): Promise<Thought> {
    await this.#fitContext();
    this.#failure = undefined;
    const before = this.#tokens;
    this.#answeredAfter = new Set(this.#agent.chatCtx.items.map((item) => item.id));
    const handle = this.#session.generateReply(text === undefined ? {} : { userInput: text });
    this.#current = handle;
    const timer = setTimeout(() => this.interrupt(), deadlineMs);
    await handle.waitForPlayout().catch(() => undefined);
    clearTimeout(timer);
    this.#current = undefined;
    return { failure: this.#failure, interrupted: handle.interrupted, tokens: this.#tokens - before };
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
    await this.#session.close();
  }

  #watch(): void {
    this.#session.on(voice.AgentSessionEventTypes.Error, (event) => {
      this.#failure = modelFailureOf(event) ?? this.#failure;
    });
    this.#session.on(voice.AgentSessionEventTypes.MetricsCollected, ({ metrics }) => {
      if (metrics.type === 'llm_metrics') this.#tokens += metrics.totalTokens;
    });
  }

  async #fitContext(): Promise<void> {
    const { items } = this.#agent.chatCtx;
    const kept = withinContext(items, this.#maxTokens);
    if (kept.length < items.length) await this.#agent.updateChatCtx(new llm.ChatContext(kept));
  }
}
