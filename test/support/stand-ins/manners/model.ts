import type { Completion, Reply } from '../openai-server.ts';
import type { Manner } from './deck.ts';

/**
 * What becomes of an answer that a model gives in this way: `whole` arrives as it was meant, of `part` some words arrive, of
 * `none` nothing that a person could notice, `again` is worth asking for once more.
 */
export interface ModelManner extends Manner {
  readonly outcome: 'whole' | 'part' | 'none' | 'again';
  of(meant: Completion): Reply;
}

const github = (thread: string) => `https://github.com/${thread}`;

/** How servers of the chat-completions protocol answer. */
export const modelManners: readonly [ModelManner, ...ModelManner[]] = [
  {
    name: 'as documented',
    source: 'https://platform.openai.com/docs/api-reference/chat-streaming',
    outcome: 'whole',
    of: (meant) => meant,
  },
  {
    name: 'finish_reason twice',
    source: `${github('langchain-ai/langchain/issues/38349')} (OpenRouter with gpt-oss), ${github('ai-dynamo/dynamo/issues/4153')}`,
    outcome: 'whole',
    of: (meant) => ({ ...meant, finishes: 2 }),
  },
  {
    name: 'an end without words',
    source: `${github('earendil-works/pi/issues/8462')}, ${github('BerriAI/litellm/pull/24462')}`,
    outcome: 'none',
    of: () => ({}),
  },
  {
    name: 'an end with a line break only',
    source: github('openclaw/openclaw/pull/91403'),
    outcome: 'none',
    of: () => ({ text: '\n' }),
  },
  {
    name: 'reasoning eats the budget',
    source: `https://platform.openai.com/docs/guides/reasoning#controlling-costs, ${github('BerriAI/litellm-docs/pull/559')}`,
    outcome: 'none',
    of: () => ({ thoughts: 12, finishReason: 'length' }),
  },
  {
    name: 'reasoning before the words',
    source: github('kekzl/imp/pull/1442'),
    outcome: 'whole',
    of: (meant) => ({ ...meant, thoughts: 12 }),
  },
  {
    name: 'a filter takes the answer',
    source: `${github('Azure-Samples/azure-search-openai-demo/issues/2076')}, ${github('promptfoo/promptfoo/pull/2822')}`,
    outcome: 'none',
    of: () => ({ finishReason: 'content_filter' }),
  },
  {
    name: 'chunks of a filter without choices and without deltas',
    source: `${github('openai/openai-python/issues/1677')}, ${github('microsoft/autogen/issues/6465')}`,
    outcome: 'whole',
    of: (meant) => ({ ...meant, filterChunks: true }),
  },
  {
    name: 'no usage',
    source: `${github('router-for-me/CLIProxyAPI/pull/2111')}, ${github('milind-soni/OpenMausBot/pull/1378')}`,
    outcome: 'whole',
    of: (meant) => ({ ...meant, usage: 'missing' }),
  },
  {
    name: 'tool calls without ids',
    source: `${github('ggml-org/llama.cpp/issues/11992')}, ${github('sgl-project/sglang/issues/7048')}`,
    outcome: 'whole',
    of: (meant) => ({ ...meant, plainToolCalls: true }),
  },
  {
    name: 'empty ids and names in later pieces of a call',
    source: github('anomalyco/opencode/issues/37841'),
    outcome: 'whole',
    of: (meant) => ({ ...meant, emptyIds: true }),
  },
  {
    name: '429 with Retry-After',
    source: 'https://platform.openai.com/docs/guides/rate-limits, RFC 9110 10.2.3',
    outcome: 'none',
    of: () => ({ status: 429, retryAfter: '20' }),
  },
  {
    name: '429 without Retry-After',
    source: github('BerriAI/litellm/issues/4695'),
    outcome: 'again',
    of: () => ({ status: 429 }),
  },
  {
    name: '502 of a proxy',
    source: github('TriliumNext/Trilium/pull/11628'),
    outcome: 'again',
    of: () => ({ status: 502, html: true }),
  },
  {
    name: 'a stream that stops without an end',
    source: `${github('pydantic/pydantic-ai/issues/6610')}, ${github('can1357/oh-my-pi/issues/9433')}`,
    outcome: 'part',
    of: (meant) => ({ ...meant, cutOff: { after: 1 } }),
  },
  {
    name: 'a fault in the middle of a stream',
    source: 'https://openrouter.ai/docs/api-reference/errors',
    outcome: 'part',
    of: (meant) => ({ ...meant, errorEvent: { after: 1 } }),
  },
  {
    name: 'a connection that is reset in the middle',
    source: github('ltmoerdani/opencode-copilot-chat/pull/170'),
    outcome: 'part',
    of: (meant) => ({ ...meant, drop: { after: 1 } }),
  },
  {
    name: 'half-open before the first word',
    source: `${github('anomalyco/opencode/issues/37580')}, ${github('2389-research/tracker/issues/575')}`,
    outcome: 'none',
    of: (meant) => ({ ...meant, stall: { after: 0 } }),
  },
  {
    name: 'half-open in the middle',
    source: `${github('shiaho777/web-to-app/pull/438')}, ${github('aaif-goose/goose/pull/8134')}`,
    outcome: 'part',
    of: (meant) => ({ ...meant, stall: { after: 1 } }),
  },
  {
    name: 'a connection that stays open after the end',
    source: github('ltmoerdani/opencode-copilot-chat/pull/170'),
    outcome: 'whole',
    of: (meant) => ({ ...meant, afterEnd: 'nothing' }),
  },
];
