export interface ReceiverLimits {
  /** In flight to one receiver (scheme, host and port) from this process. */
  mostInFlight: number;
  /** So many times in a row slow or without any answer, and the receiver is asked by one delivery at a time only. */
  failuresToOpen: number;
  /** An answer that took as long counts as a failure of the receiver, whatever it said. */
  slowMs: number;
  /** How long a receiver rests that gave no answer; one that answered slowly rests as long as it took, up to this. */
  restMs: number;
  /**
   * In flight to all receivers whose last answer was slow or missing. Half of the places that the worker has for deliveries:
   * the others stay for those that answer.
   */
  mostInTrouble: number;
}

const usual: ReceiverLimits = {
  mostInFlight: 5,
  failuresToOpen: 5,
  slowMs: 5_000,
  restMs: 30_000,
  mostInTrouble: 10,
};

interface Receiver {
  /** By who sends. */
  inFlight: Map<string, number>;
  /** In a row. */
  failures: number;
  /** Monotonic milliseconds; until then nothing is sent. */
  openUntil: number;
  /** Who found no place, and until when they are expected to ask again. */
  waiting: Map<string, number>;
}

export interface Permit {
  /** `answered` says whether the receiver gave any answer at all, whatever it was; `tookMs`, after how long. */
  done(answered: boolean, tookMs?: number): void;
}

export interface Receivers {
  /** A permit to send to this address, or after how many milliseconds to ask again. `who` asks: those of one address share it. */
  enter(url: string, who?: string): Permit | { waitMs: number };
}

/** Who was told to come back and does not within this time more has given up. */
const lateMs = 5_000;

/**
 * Keeps a slow or dead receiver from holding up deliveries to others: who gets no permit comes back later instead of waiting.
 * After several failures in a row nothing is sent for a while, then one delivery tries it.
 */
export function makeReceivers(
  elapsedMs: () => number = () => performance.now(),
  random: () => number = Math.random,
  limits: Partial<ReceiverLimits> = {},
): Receivers {
  const { mostInFlight, failuresToOpen, slowMs, restMs, mostInTrouble } = { ...usual, ...limits };
  const receivers = new Map<string, Receiver>();
  const shortlyMs = () => 500 + Math.round(random() * 1_500);
  const inTrouble = () =>
    sum([...receivers.values()].map((receiver) => (receiver.failures > 0 ? inFlightTo(receiver) : 0)));
  const mostTo = ({ failures }: Receiver) => (failures >= failuresToOpen ? 1 : mostInFlight);

  /** The more wait, the later each comes back: many agents of one address don't ask all the time. */
  const turnAway = ({ waiting }: Receiver, who: string): { waitMs: number } => {
    const waitMs = Math.min(restMs, Math.round(shortlyMs() * (1 + waiting.size / mostInFlight)));
    waiting.set(who, elapsedMs() + waitMs + lateMs);
    return { waitMs };
  };
  /** Whoever holds a fair share of the places leaves the next to those who wait. */
  const leavesToOthers = (receiver: Receiver, who: string): boolean => {
    for (const [name, until] of receiver.waiting) if (until < elapsedMs()) receiver.waiting.delete(name);
    const others = receiver.waiting.size - (receiver.waiting.has(who) ? 1 : 0);
    const share = Math.max(1, Math.floor(mostTo(receiver) / (others + 1)));
    return others > 0 && (receiver.inFlight.get(who) ?? 0) >= share;
  };
  const judge = (receiver: Receiver, answered: boolean, tookMs: number) => {
    receiver.failures = answered && tookMs < slowMs ? 0 : receiver.failures + 1;
    if (receiver.failures < failuresToOpen) return;
    receiver.openUntil = elapsedMs() + (answered ? Math.min(tookMs, restMs) : restMs);
  };

  return {
    enter: (url, asker) => {
      const origin = originOf(url);
      const who = asker ?? origin;
      const receiver = receivers.get(origin) ?? newReceiver();
      const closedForMs = receiver.openUntil - elapsedMs();
      if (closedForMs > 0) return { waitMs: Math.ceil(closedForMs) + shortlyMs() };
      if (inFlightTo(receiver) >= mostTo(receiver)) return turnAway(receiver, who);
      if (leavesToOthers(receiver, who)) return { waitMs: shortlyMs() };
      if (receiver.failures > 0 && inTrouble() >= mostInTrouble) return { waitMs: shortlyMs() };
      receivers.set(origin, receiver);
      receiver.waiting.delete(who);
      count(receiver, who, 1);
      return {
        done: (answered, tookMs = 0) => {
          count(receiver, who, -1);
          judge(receiver, answered, tookMs);
          if (inFlightTo(receiver) === 0 && receiver.failures === 0) receivers.delete(origin);
        },
      };
    },
  };
}

const newReceiver = (): Receiver => ({ inFlight: new Map(), failures: 0, openUntil: 0, waiting: new Map() });

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const inFlightTo = ({ inFlight }: Receiver): number => sum([...inFlight.values()]);

function count({ inFlight }: Receiver, who: string, change: 1 | -1): void {
  const left = (inFlight.get(who) ?? 0) + change;
  if (left === 0) inFlight.delete(who);
  else inFlight.set(who, left);
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : url);
