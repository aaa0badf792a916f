import type { Logger } from 'pino';
import { bestEffort } from '../../process/best-effort.ts';

export interface MemoryWatchParts {
  /** Resident memory above which the process is to leave; 0 for never. */
  mostMb: number;
  /** Whether it may leave now without a loss; `alone`: also when no other host is there and it has nothing to do. */
  retire(options: { alone: boolean }): Promise<boolean>;
  onRetired(): void;
  logger: Logger;
}

const lookEveryMs = 10_000;
/** Before it leaves nobody behind: another that has just left is started again within that time. */
const looksBeforeAlone = 12;
const megabyte = 1_048_576;

/**
 * Lets a process that has grown too far leave in good time. The native layer of the room client keeps some memory of every
 * connection for good (docs/performance.md, hundreds of short calls): in the end the system would end the process in
 * the middle of its conversations, while leaving in order loses nothing.
 */
export function watchMemory({ mostMb, retire, onRetired, logger }: MemoryWatchParts): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let refused = 0;
  const look = async () => {
    const memoryMb = Math.round(process.memoryUsage.rss() / megabyte);
    if (
      memoryMb > mostMb &&
      (await bestEffort('the next look asks again', retire({ alone: refused >= looksBeforeAlone })))
    ) {
      logger.warn({ memoryMb, mostMb }, 'this host has grown too far and takes no more conversations');
      return onRetired();
    }
    if (memoryMb > mostMb) refused += 1;
    timer = setTimeout(look, lookEveryMs);
  };
  if (mostMb > 0) timer = setTimeout(look, lookEveryMs);
  return { stop: () => clearTimeout(timer) };
}
