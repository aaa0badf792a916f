export interface Loop {
  /** Runs the work now, or once more right after the run that is under way. */
  nudge(): void;
  /** No further run begins; resolves when the one under way is over. */
  stop(): Promise<void>;
}

/** Runs `work` every `everyMs` from the end of the run before, never twice at once, until it is stopped. A run that throws is told to `onError`. */
export function startLoop(everyMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void): Loop {
  let stopped = false;
  let nudged = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const run = () => {
    clearTimeout(timer);
    nudged = false;
    running = work()
      .then(() => undefined, onError)
      .then(() => {
        running = undefined;
        if (!stopped) timer = setTimeout(run, nudged ? 0 : everyMs);
      });
  };
  run();
  return {
    nudge: () => {
      if (stopped) return;
      if (running) nudged = true;
      else run();
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
