/** Something that was waited for did not come in time. */
export class TooLate extends Error {
  /** What was waited for. */
  readonly what: string;
  readonly afterMs: number;

  constructor(what: string, afterMs: number) {
    super(`${what} took longer than ${afterMs < 1_000 ? `${afterMs} ms` : `${afterMs / 1_000} s`}`);
    this.name = 'TooLate';
    this.what = what;
    this.afterMs = afterMs;
  }
}

/**
 * What `work` gives, if it does so within `ms`. Work that takes a signal hears there that nobody waits any longer; other work
 * goes on and its outcome is dropped. A process that was busy itself looks at what has arrived meanwhile before it blames others:
 * timers come before input in a turn of the event loop, setImmediate after it.
 *
 * @throws TooLate
 */
export async function within<Result>(
  ms: number,
  what: string,
  work: PromiseLike<Result> | ((signal: AbortSignal) => PromiseLike<Result>),
): Promise<Result> {
  const late = new AbortController();
  let looking: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    looking = setImmediate(() => late.abort(new TooLate(what, ms)));
  }, ms);
  try {
    return await unlessAborted(late.signal, typeof work === 'function' ? work(late.signal) : work);
  } finally {
    clearTimeout(timer);
    clearImmediate(looking);
  }
}

/** For `catch`: this value instead of a TooLate. Any other error goes on. */
export const ifLate =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (error instanceof TooLate) return value;
    throw error;
  };

/**
 * What `work` gives, unless `signal` fires before; then its outcome is dropped.
 * @throws the signal's reason
 */
export async function unlessAborted<Result>(signal: AbortSignal, work: PromiseLike<Result>): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
