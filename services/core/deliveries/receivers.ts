/** In flight to one receiver (scheme, host and port) from this process. */
const mostInFlight = 5;
/** So many failures to get any answer in a row, and the receiver is asked by one delivery at a time only. */
const failuresToOpen = 5;
const openForMs = 30_000;

interface Receiver {
  inFlight: number;
  failures: number;
  /** Monotonic milliseconds; until then nothing is sent. */
  openUntil: number;
}

export interface Turn {
  /** `answered` says whether the receiver gave any answer at all, whatever it was. */
  done(answered: boolean): void;
}

export interface Receivers {
  /** A turn to send to this address, or after how many milliseconds to ask again. */
  enter(url: string): Turn | { waitMs: number };
}

/**
 * Keeps a slow or dead receiver from holding up deliveries to others: who gets no turn comes back later instead of waiting.
 * After several failures in a row nothing is sent for half a minute, then one delivery tries it.
 */
export function makeReceivers(
  elapsedMs: () => number = () => performance.now(),
  random: () => number = Math.random,
): Receivers {
  const receivers = new Map<string, Receiver>();
  const shortlyMs = () => 500 + Math.round(random() * 1_500);

  return {
    enter: (url) => {
      const origin = originOf(url);
      const receiver = receivers.get(origin) ?? { inFlight: 0, failures: 0, openUntil: 0 };
      const closedForMs = receiver.openUntil - elapsedMs();
      if (closedForMs > 0) return { waitMs: Math.ceil(closedForMs) + shortlyMs() };
      const most = receiver.failures >= failuresToOpen ? 1 : mostInFlight;
      if (receiver.inFlight >= most) return { waitMs: shortlyMs() };
      receivers.set(origin, receiver);
      receiver.inFlight += 1;
      return {
        done: (answered) => {
          receiver.inFlight -= 1;
          receiver.failures = answered ? 0 : receiver.failures + 1;
          if (receiver.failures >= failuresToOpen) receiver.openUntil = elapsedMs() + openForMs;
          if (receiver.inFlight === 0 && receiver.failures === 0) receivers.delete(origin);
        },
      };
    },
  };
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);
