import type { Fact } from './state.ts';

interface Outgoing {
  id: string;
  text: string;
}

/**
 * What the person has written and the room has not taken yet, in order. Messages may be written at any time: before the room is
 * joined, while the agent answers, while the connection is away.
 */
export function makeOutbox(tell: (fact: Fact) => void) {
  const waiting: Outgoing[] = [];
  let send: ((text: string) => Promise<void>) | undefined;
  let held = false;
  let busy = false;

  const flush = async (): Promise<void> => {
    held = false;
    if (busy) return;
    busy = true;
    while (send && !held && waiting.length > 0) await deliver(send);
    busy = false;
  };

  const deliver = async (sendNow: (text: string) => Promise<void>): Promise<void> => {
    const message = waiting[0];
    if (!message) return;
    try {
      await sendNow(message.text);
      waiting.shift();
      tell({ kind: 'delivery', id: message.id, delivery: 'sent' });
    } catch {
      // Said once too little rather than twice: whether the room took it is not known, so the person decides.
      waiting.shift();
      tell({ kind: 'delivery', id: message.id, delivery: 'failed' });
    }
  };

  return {
    say: (text: string) => {
      const id = crypto.randomUUID();
      waiting.push({ id, text });
      tell({ kind: 'said', id, text });
      if (!held) void flush();
    },
    open: (through: (text: string) => Promise<void>) => {
      send = through;
      void flush();
    },
    flush: () => void flush(),
    hold: () => {
      held = true;
    },
    close: () => {
      send = undefined;
    },
  };
}
