import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { TooLate, within } from './within.ts';

/** What is stopped, within how many milliseconds, and how; in the reverse order of start. */
export type StopStep = readonly [name: string, deadlineMs: number, stop: () => Promise<unknown> | unknown];

/** To say how it went, once all steps are over. */
const lastLinesMs = 3_000;

export interface StopOptions {
  /** What nobody caught ends the process, because its state can't be trusted; a host of many conversations only logs a promise. */
  unhandledRejection?: 'stop' | 'log';
}

/**
 * Stops this process in order on SIGTERM, SIGINT, when the launcher that started it is gone (its IPC channel closes), or
 * after an error that nobody caught. Each step has its own deadline; a second signal ends the process at once, and the system
 * does when all deadlines are past: a native library may hold up this thread, and with it every timer and handler. What is
 * returned does the same from within. Steps that are added to the list later count too.
 */
export function onStopSignal(
  logger: Logger,
  steps: readonly StopStep[],
  { unhandledRejection = 'stop' }: StopOptions = {},
): (why: string) => void {
  let stopping = false;
  const stop = (why: string, failed = false) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ why }, 'stopping');
    killAfter(steps.reduce((sum, [, deadlineMs]) => sum + deadlineMs, lastLinesMs));
    void runSteps(logger, [...steps]).then((inOrder) => {
      const clean = inOrder && !failed;
      logger.info({ clean }, 'stopped');
      logger.flush(() => process.exit(clean ? 0 : 1));
      // Should the log not take it: the process ends all the same.
      setTimeout(() => process.exit(clean ? 0 : 1), 500).unref();
    });
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('uncaughtException', (err: unknown) => {
    logger.fatal({ err }, 'an error that nobody caught');
    if (!stopping) stop('crash', true);
  });
  process.on('unhandledRejection', (err: unknown) => {
    logger.error({ err }, 'a failed promise that nobody caught');
    if (unhandledRejection === 'stop' && !stopping) stop('crash', true);
  });
  if (process.channel) {
    process.on('disconnect', () => stop('launcher gone'));
    process.channel.unref();
  } else if (process.connected === false) {
    // It went while this process was starting.
    stop('launcher gone');
  }
  return (why) => {
    if (!stopping) stop(why);
  };
}

/** From a thread of its own, which runs while this one does not. */
function killAfter(ms: number): void {
  const program = `setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${ms})`;
  const watchdog = new Worker(program, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 16 } });
  // Without it there are still the deadlines.
  watchdog.on('error', () => undefined);
  watchdog.unref();
}

async function runSteps(logger: Logger, steps: readonly StopStep[]): Promise<boolean> {
  let clean = true;
  for (const [step, deadlineMs, stop] of steps) {
    try {
      await within(deadlineMs, step, attempt(stop));
    } catch (err) {
      clean = false;
      logger.error(
        { step, outcome: err instanceof TooLate ? 'too late' : 'failed', err },
        'a step of stopping went wrong',
      );
    }
  }
  return clean;
}

const attempt = async (stop: StopStep[2]): Promise<unknown> => stop();
