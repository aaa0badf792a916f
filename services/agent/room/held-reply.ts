/** One reply on its way into the room. */
export interface ReplyStream {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * A person's client hears up to 3 s late that an agent has left (the room server batches such news), and then gives up whatever is
 * open under the agent's identity: also the reply of the agent that took its place. Until this long after that the successor's
 * words are kept together and sent as one, which leaves nothing open.
 */
export const leaveIsKnownAfterMs = 4_000;

export interface Ways {
  /** All words at once. */
  whole(text: string): Promise<void>;
  /** As they come. */
  open(): Promise<ReplyStream>;
}

/** A reply whose words are kept until it ends, or until `until` on the clock of `now`; from then on they go out as they come. */
export function heldReply({ whole, open }: Ways, until: number, now = () => performance.now()): ReplyStream {
  let held = '';
  let stream: ReplyStream | undefined;
  return {
    write: async (text) => {
      if (stream) return stream.write(text);
      held += text;
      if (now() < until) return;
      stream = await open();
      await stream.write(held);
    },
    close: async () => {
      if (stream) await stream.close();
      else if (held) await whole(held);
    },
  };
}
