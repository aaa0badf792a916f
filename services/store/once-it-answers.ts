import { backOffMs } from '../process/back-off.ts';
import type { Logger } from '../process/logger.ts';
import { sleep } from '../process/sleep.ts';
import { isDatabaseUnavailable, isNotLetIn } from './database.ts';

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/**
 * What `work` gives, tried again for as long as the database is away. A process that ended instead would be started again after
 * minutes, because whoever starts it waits longer each time. Pauses are drawn, so that not all processes come back at once.
 * @throws what else `work` throws, such as a password that is refused
 */
export async function onceItAnswers<Result>(
  log: Pick<Logger, 'warn' | 'info'>,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await work();
      if (attempt > 0) log.info('the database answers');
      return result;
    } catch (err) {
      // Who starts has the password that is meant to be right.
      if (!isDatabaseUnavailable(err) || isNotLetIn(err)) throw err;
      if (attempt === 0) log.warn({ err }, 'the database does not answer; this process waits for it');
    }
    await sleep(backOffMs(attempt + 1, { firstMs: firstPauseMs, longestMs: longestPauseMs }));
  }
}
