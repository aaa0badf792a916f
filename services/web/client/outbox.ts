import { randomId } from './random-id.ts';

export interface Outgoing {
  id: string;
  text: string;
}

/** As many texts as may wait in a room: no more can be on their way when an agent dies. */
const keptForResending = 10;

/** What becomes of a text. */
export type OutboxNews =
  | { kind: 'said'; id: string; text: string }
  | { kind: 'delivery'; id: string; delivery: 'sent' | 'failed' };

export type Send = (id: string, text: string) => Promise<void>;

/**
 * What the person has written and the room has not taken yet, in order. Messages may be written at any time: before the room is
 * joined, while the agent answers, while the connection is away. What was sent to an agent that died unnoticed reached nobody,
 * so the last texts go out again when another agent comes; each has its id, by which the service knows those it has. `sentBefore`: by
 * the page before it was loaded again.
 */
export function makeOutbox(tell: (news: OutboxNews) => void, sentBefore: readonly Outgoing[] = []) {
  const waiting: Outgoing[] = [];
  const sent: Outgoing[] = [...sentBefore];
  let send: Send | undefined;
  let held = false;
  let busy = false;

  const flush = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    while (send && !held && waiting.length > 0) await deliver(send);
    busy = false;
  };

  const deliver = async (sendNow: Send): Promise<void> => {
    const message = waiting.shift();
    if (!message) return;
    try {
      await sendNow(message.id, message.text);
      sent.push(message);
      sent.splice(0, sent.length - keptForResending);
      tell({ kind: 'delivery', id: message.id, delivery: 'sent' });
    } catch {
      tell({ kind: 'delivery', id: message.id, delivery: 'failed' });
    }
  };

  const resend = () => {
    waiting.unshift(...sent.splice(0));
    void flush();
  };

  return {
    say: (text: string) => {
      const id = randomId();
      waiting.push({ id, text });
      tell({ kind: 'said', id, text });
      void flush();
    },
    /** A room is joined. */
    open: (through: Send) => {
      send = through;
      held = false;
      resend();
    },
    resend,
    /** The connection is back. */
    release: () => {
      held = false;
      void flush();
    },
    /** The connection is away for a moment. */
    hold: () => {
      held = true;
    },
    close: () => {
      send = undefined;
    },
  };
}
