import { isFiller } from '../../contract/filler-key.ts';
import type { MessageRow } from '../../store/tables/messages.ts';

/**
 * What a conversation is judged by. Nobody speaks for the agent but its host: what a client says that the agent said is no part of it. Nor
 * is a filler, which answers nothing.
 */
export const judgedLines = <Line extends Pick<MessageRow, 'role' | 'source' | 'message_key'>>(
  messages: readonly Line[],
): Line[] =>
  messages.filter(({ role, source, message_key: key }) => role === 'USER' || (source === 'host' && !isFiller(key)));
