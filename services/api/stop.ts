import type { Logger } from '../core/logger.ts';

/** Longer than every step of stopping together. */
const deadlineMs = 15_000;

/**
 * Stops in order on SIGTERM, SIGINT or when the launcher that started us is gone; a second signal exits at once.
 * What nobody caught is logged and ends the process: its state can't be trusted any more.
 */
export function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const exit = (code: number) => log.flush(() => process.exit(code));
  const begin = (cause: string, code = 0) => {
    if (stopping) return process.exit(1);
    stopping = true;
    log.info({ cause }, 'stopping');
    setTimeout(() => {
      log.error('stopping took too long');
      exit(1);
    }, deadlineMs).unref();
    stop().then(
      () => {
        log.info('stopped');
        exit(code);
      },
      (err: unknown) => {
        log.error({ err }, 'stopping failed');
        exit(1);
      },
    );
  };
  process.on('SIGTERM', () => begin('SIGTERM'));
  process.on('SIGINT', () => begin('SIGINT'));
  process.on('disconnect', () => begin('the launcher is gone'));
  const onCrash = (err: unknown) => {
    log.fatal({ err }, 'an error that nobody caught');
    begin('crash', 1);
  };
  process.on('uncaughtException', onCrash);
  process.on('unhandledRejection', onCrash);
}
