import type { ChatRequest, Completion, ToolCallReply } from './openai-server.ts';

/** What a person writes so that `obey` calls these tools, all in one answer. */
export const order = (...calls: ToolCallReply[]): string => `call ${JSON.stringify(calls)}`;

/** Of what a tool said, as much as a person reads. */
const quoted = 400;

/** A model that does what it is told, and then says what every call came to, each in brackets. For `OpenAIServer.reply`. */
export function obey({ body: { messages } }: Pick<ChatRequest, 'body'>): Completion {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const heard = messages.slice(asked + 1).filter(({ role }) => role === 'tool');
  if (heard.length > 0) return { text: heard.map(({ content }) => `[${textOf(content).slice(0, quoted)}]`).join(' ') };
  const text = textOf(messages[asked]?.content);
  if (!text.startsWith('call ')) return { text: `You said: ${text}` };
  return { toolCalls: JSON.parse(text.slice(5)) as ToolCallReply[] };
}

/** A message's text, in whichever of the protocol's two forms it comes. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content) ?? '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}
