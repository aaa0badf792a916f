/** One reply on its way into the room. */
export interface ReplyStream {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * A person's client hears up to 3 s late that an agent has left (the room server batches such news), and then gives up whatever is
 * open under the agent's identity: also the reply of the agent that took its place. Until this long after that, and until the client
 * has answered a call that was made then, the successor's words are kept together and sent as one, which leaves nothing open: on a
 * busy machine the news is as late as the answer.
 */
export const leaveIsKnownAfterMs = 4_000;
/** Whoever has not answered by then never does: a client without calls, or one that is not there. */
const mostAskedMs = 15_000;
const answersWithinMs = 2_000;
const askAgainMs = 250;

export interface LeaveNews {
  /** Whether everybody in the room has answered, as far as can be told within `withinMs`; false when nobody is known to be there. */
  everybodyAnswers(withinMs: number): Promise<boolean>;
  /** This connection is over, or has taken its place again. */
  isOver(): boolean;
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** Resolves when those in the room know that an earlier connection of the agent's is gone, as far as can be told. */
export async function untilLeaveIsKnown({ everybodyAnswers, isOver, now, sleep }: LeaveNews): Promise<void> {
  const from = now();
  await sleep(leaveIsKnownAfterMs);
  while (!isOver() && now() - from < mostAskedMs) {
    if (await everybodyAnswers(answersWithinMs)) return;
    await sleep(askAgainMs);
  }
}

export interface Ways {
  /** All words at once. */
  whole(text: string): Promise<void>;
  /** As they come. */
  open(): Promise<ReplyStream>;
}

/** A reply whose words are kept until it ends, or until it `mayStayOpen`; from then on they go out as they come. */
export function heldReply({ whole, open }: Ways, mayStayOpen: () => boolean): ReplyStream {
  let held = '';
  let stream: ReplyStream | undefined;
  return {
    write: async (text) => {
      if (stream) return stream.write(text);
      held += text;
      if (!mayStayOpen()) return;
      stream = await open();
      await stream.write(held);
    },
    close: async () => {
      if (stream) await stream.close();
      else if (held) await whole(held);
    },
  };
}
