import type { Conversation } from '../conversation/conversation.ts';

/** All that a person can do. */
export type Act = Omit<Conversation, 'room'> & { close(): void; accept(): void; redraw(): void };
