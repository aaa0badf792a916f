import type { Logger } from 'pino';

/** What is stopped, within how many milliseconds, and how; in the reverse order of start. */
export type StopStep = readonly [name: string, deadlineMs: number, stop: () => Promise<unknown> | unknown];

/**
 * Stops this process in order on SIGTERM, SIGINT or when the launcher that started it is gone (its IPC channel closes).
 * Each step has its own deadline; a second signal ends the process at once.
 */
export function onStopSignal(logger: Logger, steps: readonly StopStep[]): void {
  let stopping = false;
  const stop = (why: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ why }, 'stopping');
    void runSteps(logger, steps).then((clean) => {
      logger.info({ clean }, 'stopped');
      logger.flush(() => process.exit(clean ? 0 : 1));
      // Should the log not take it: the process ends all the same.
      setTimeout(() => process.exit(clean ? 0 : 1), 500).unref();
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  if (process.channel) {
    process.on('disconnect', () => stop('launcher gone'));
    process.channel.unref();
  }
}

async function runSteps(logger: Logger, steps: readonly StopStep[]): Promise<boolean> {
  let clean = true;
  for (const [step, deadlineMs, stop] of steps) {
    const late = Promise.withResolvers<'late'>();
    const timer = setTimeout(late.resolve, deadlineMs, 'late');
    const outcome = await Promise.race([attempt(stop), late.promise]);
    clearTimeout(timer);
    if (outcome === 'done') continue;
    clean = false;
    logger.error(
      { step, outcome: outcome === 'late' ? 'too late' : 'failed', err: outcome === 'late' ? undefined : outcome },
      'a step of stopping went wrong',
    );
  }
  return clean;
}

async function attempt(stop: StopStep[2]): Promise<'done' | Error> {
  try {
    await stop();
    return 'done';
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
