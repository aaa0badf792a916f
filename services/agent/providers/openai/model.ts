import { llm } from '@livekit/agents';
import * as openai from '@livekit/agents-plugin-openai';
import OpenAI, { type ClientOptions } from 'openai';
import { fetch, type RequestInit } from 'undici';
import type { CompiledModel } from '../../../agent-files/definition/compiled.ts';
import { factsOf, keyName } from '../../../agent-files/definition/provider-facts.ts';
import {
  type ProviderServers,
  reachOf,
  serverProblem,
  serversIn,
} from '../../../agent-files/definition/provider-servers.ts';
import { openPools } from '../../../process/outbound/reach.ts';
import type { Variables } from '../../../process/variables.ts';
import { ModelNotConfigured } from '../../models/configuration.ts';
import { type ModelFailure, toModelFailure } from '../../models/failure.ts';
import type { MakeModel, ModelContext } from '../../models/making.ts';
import { readChunks } from './chunks.ts';
import { Deadline } from './deadline.ts';
import { requestCompletion } from './request.ts';

/** The client refuses to start without a key, and some servers that need none refuse a request without the header. */
const placeholderKey = 'no-key-needed';

/**
 * The framework's OpenAI model from a declaration, for OpenAI and for every server that speaks its chat-completions
 * protocol. `timeoutMs` (`spokenTimeoutMs` in a spoken session) bounds the wait for the first word, tries included, and
 * each wait for the next one; the session's `connOptions` are not used. What fails is a `ModelFailure`.
 *
 * @throws ModelNotConfigured when its key is missing, or its server is where it may not be
 */
export const makeOpenAI = (
  model: CompiledModel,
  env: Variables,
  { provider = 'openai', isSpoken = () => false }: Partial<Pick<ModelContext, 'provider' | 'isSpoken'>> = {},
): llm.LLM => {
  const way = wayTo(model.baseUrl, serversIn(env));
  return new ChatModel(model, { provider, apiKey: keyOf(model, provider, env), way }, isSpoken);
};

export const make: MakeModel = (declared, context) => makeOpenAI(declared, context.env, context);

/** A `baseUrl` without a key of its own gets a placeholder: the key of OpenAI's account is for OpenAI only. */
function keyOf(model: CompiledModel, provider: string, env: Variables): string {
  const name = keyName(provider, model);
  if (name === undefined) return placeholderKey;
  const key = env[name];
  if (!key) throw new ModelNotConfigured(`The model needs a key, but ${name} is not set in the environment.`);
  return key;
}

type Way = Pick<ClientOptions, 'fetch'>;

const pools = openPools();

/** The provider's own address needs no guard. @throws ModelNotConfigured */
function wayTo(baseUrl: string | undefined, servers: ProviderServers): Way {
  if (baseUrl === undefined) return {};
  const problem = serverProblem(baseUrl, servers);
  if (problem !== undefined) throw new ModelNotConfigured(`The model cannot be asked at ${baseUrl}. ${problem}`);
  const dispatcher = pools[reachOf(baseUrl, servers)];
  // The pools' own fetch: Node's is of another release of the library. Redirects would lead around the address that was checked.
  return {
    fetch: ((url: string, init: RequestInit) => fetch(url, { ...init, redirect: 'error', dispatcher })) as never,
  };
}

/** Reads nothing from the environment, and logs nothing: its log lines would quote people. */
const makeClient = ({ baseUrl }: CompiledModel, { provider, apiKey, way }: Account): OpenAI =>
  new OpenAI({
    // Null is OpenAI's own address; undefined would be read from the environment.
    baseURL: baseUrl ?? factsOf(provider)?.endpoint ?? null,
    apiKey,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    ...way,
  });

interface Account {
  provider: string;
  apiKey: string;
  way: Way;
}

type ChatOptions = Parameters<llm.LLM['chat']>[0];
type StreamOptions = ConstructorParameters<typeof openai.LLMStream>[1];

class ChatModel extends openai.LLM {
  readonly #settings: CompiledModel;
  readonly #client: OpenAI;
  readonly #isSpoken: () => boolean;

  constructor(settings: CompiledModel, account: Account, isSpoken: () => boolean) {
    const client = makeClient(settings, account);
    const model = settings.name ?? factsOf(account.provider)?.model?.usual;
    super({ ...(model && { model }), apiKey: account.apiKey, client });
    this.#settings = settings;
    this.#client = client;
    this.#isSpoken = isSpoken;
  }

  /** The framework would ask for the list of models when a session starts, which may be before anybody has joined. */
  protected override async _prewarmImpl(): Promise<void> {}

  override chat({ chatCtx, toolCtx, toolChoice, extraKwargs }: ChatOptions): openai.LLMStream {
    const tools = llm.toToolContext(toolCtx);
    const hasTools = tools !== undefined && Object.keys(tools.functionTools).length > 0;
    const { timeoutMs, spokenTimeoutMs } = this.#settings;
    return new ChatStream(this, this.#client, {
      model: this.model,
      chatCtx,
      // The framework would send an empty list of tools, which OpenAI refuses.
      ...(hasTools && { toolCtx: tools }),
      connOptions: {
        maxRetry: 0,
        retryIntervalMs: 0,
        timeoutMs: (this.#isSpoken() ? spokenTimeoutMs : undefined) ?? timeoutMs,
      },
      modelOptions: {
        ...extraKwargs,
        ...fieldsOf(this.#settings, hasTools),
        ...(hasTools && toolChoice !== undefined && { tool_choice: toolChoice }),
      },
      strictToolSchema: false,
    });
  }
}

/** What the author has set, by the names of the protocol. */
function fieldsOf(settings: CompiledModel, hasTools: boolean): Record<string, unknown> {
  const { baseUrl, maxOutputTokens, temperature, reasoningEffort, options = {} } = settings;
  const { parallel_tool_calls: parallel, ...others } = options;
  return {
    ...others,
    // Refused where there are no tools.
    ...(hasTools && parallel !== undefined && { parallel_tool_calls: parallel }),
    // OpenAI's newer models refuse max_tokens; several compatible servers know nothing else.
    ...(baseUrl ? { max_tokens: maxOutputTokens } : { max_completion_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
  };
}

/**
 * The framework's stream over a client with time limits, whole tool calls and errors that can be told apart. The stream
 * itself flattens most errors to "connection error" (it tests them against its own copy of the client), so what really
 * failed is remembered beside it.
 */
class ChatStream extends openai.LLMStream {
  readonly #failure: () => ModelFailure | undefined;

  constructor(model: llm.LLM, client: OpenAI, options: Omit<StreamOptions, 'client'>) {
    const { timeoutMs } = options.connOptions;
    let failure: ModelFailure | undefined;
    const remember = (error: unknown): ModelFailure => {
      failure = toModelFailure(error);
      return failure;
    };

    async function* chunks(stream: AsyncIterable<OpenAI.ChatCompletionChunk>, deadline: Deadline) {
      try {
        yield* readChunks(stream, deadline);
      } catch (error) {
        throw remember(error);
      }
    }
    const create = async (body: OpenAI.ChatCompletionCreateParamsStreaming, { signal }: { signal: AbortSignal }) => {
      const deadline = new Deadline(timeoutMs);
      try {
        const stream = await requestCompletion(client, body, deadline, AbortSignal.any([signal, deadline.signal]));
        return chunks(stream, deadline);
      } catch (error) {
        deadline.stop();
        throw remember(error);
      }
    };
    // The stream calls nothing else of its client, and is typed for the gateway's model instead of any.
    super(model as never, { ...options, client: { chat: { completions: { create } } } as never });
    this.#failure = () => failure;
  }

  protected override async run(): Promise<void> {
    try {
      await super.run();
    } catch (error) {
      throw this.#failure() ?? toModelFailure(error);
    }
  }
}
