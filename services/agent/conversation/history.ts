import { llm } from '@livekit/agents';
import { asItHappened } from '../../contract/as-it-happened.ts';
import { isFiller } from '../../contract/filler-key.ts';
import type { Draft, MessageRow, Position } from '../../store/tables/messages.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';

/** Words that the person may not have, and where they stand. */
export interface Doubt {
  position: Position;
  draft: Draft;
}

export interface StoredConversation {
  messages: readonly MessageRow[];
  toolCalls: readonly ToolCallRow[];
}

/** What the model is told of a call that was running when its host died. */
export const outcomeUnknown =
  'The outcome of this call is unknown: it may or may not have happened. Do not repeat it by yourself; tell the person and let them decide.';

interface Entry {
  sequence: number;
  turn: number;
  at: Date;
  items: llm.ChatItem[];
}

/**
 * The stored conversation as the model's context, in the order of the transcript, without the texts that still wait for an answer, and
 * without fillers, which are none of its words.
 */
export function toChatItems({ messages, toolCalls }: StoredConversation, waiting: ReadonlySet<number>): llm.ChatItem[] {
  const said: Entry[] = messages
    .filter(({ sequence, role, message_key: key }) => !waiting.has(sequence) && (role === 'USER' || !isFiller(key)))
    .map((message) => ({ ...message, items: [toMessage(message)] }));
  const called: Entry[] = toolCalls.map((call) => ({ ...call, at: call.started_at, items: toCallItems(call) }));
  const stored = [...said, ...called].sort((a, b) => a.sequence - b.sequence);
  const items = asItHappened(stored, (entry) => entry).flatMap((entry) => entry.items);
  // Created in order and in the past: the framework sorts by time, and must keep the order of the transcript.
  const base = Date.now() - items.length - 1_000;
  return items.map((item, index) => Object.assign(item, { createdAt: base + index }));
}

const toMessage = (message: MessageRow): llm.ChatMessage =>
  llm.ChatMessage.create({
    role: message.role === 'USER' ? 'user' : 'assistant',
    content: message.content,
    interrupted: message.interrupted,
  });

function toCallItems(call: ToolCallRow): llm.ChatItem[] {
  const failed = call.status !== 'ok';
  return [
    llm.FunctionCall.create({ callId: call.id, name: call.name, args: JSON.stringify(call.arguments) }),
    llm.FunctionCallOutput.create({
      callId: call.id,
      name: call.name,
      output: call.result ?? outcomeUnknown,
      isError: failed,
    }),
  ];
}

/** The texts that nobody has answered, oldest first: what a host that takes over begins with. */
export const unanswered = ({ messages }: StoredConversation): MessageRow[] =>
  messages.filter((message) => message.role === 'USER' && message.source === 'host' && message.answered_at === null);

/** What was said and stored, and may not have reached the person, in its order. */
export const inDoubt = ({ messages }: Pick<StoredConversation, 'messages'>): Doubt[] =>
  messages.flatMap(({ role, sequence, message_key: key, answered_at, draft }) => {
    if (!draft || (role === 'USER' && !answered_at)) return [];
    return [{ position: role === 'USER' ? { turn: sequence } : { key: key ?? '' }, draft }];
  });

/** A turn that was begun: it has called tools or said something, or was about to, and is not closed. */
export const wasBegun = ({ messages, toolCalls }: StoredConversation, turn: number): boolean =>
  toolCalls.some((call) => call.turn === turn) ||
  messages.some(({ role, turn: of, sequence, draft }) =>
    role === 'ASSISTANT' ? of === turn : sequence === turn && draft !== null,
  );

/** The context as the person heard it: of what the model said after `known`, only the first `said` of it. */
export function cutShort(items: readonly llm.ChatItem[], known: ReadonlySet<string>, said: string): llm.ChatItem[] {
  let left = said.length;
  return items.flatMap((item) => {
    if (known.has(item.id) || item.type !== 'message' || item.role !== 'assistant') return [item];
    const content = (item.textContent ?? '').slice(0, left);
    left -= content.length;
    if (!content) return [];
    const { id, createdAt } = item;
    return [llm.ChatMessage.create({ id, createdAt, role: 'assistant', content, interrupted: true })];
  });
}
