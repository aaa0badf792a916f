import type { Logger } from 'pino';

export interface MemoryWatchParts {
  /** Resident memory above which the process is to leave; 0 for never. */
  mostMb: number;
  /** Whether it may leave now without a loss. */
  retire(): Promise<boolean>;
  onRetired(): void;
  logger: Logger;
}

const lookEveryMs = 10_000;
const megabyte = 1_048_576;

/**
 * Lets a process that has grown too far leave in good time. The native layer of the room client keeps some memory of every
 * connection for good (docs/performance.md, hundreds of short calls): in the end the system would end the process in
 * the middle of its conversations, while leaving in order loses nothing.
 */
export function watchMemory({ mostMb, retire, onRetired, logger }: MemoryWatchParts): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const memoryMb = Math.round(process.memoryUsage.rss() / megabyte);
    if (memoryMb > mostMb && (await retire().catch(() => false))) {
      logger.warn({ memoryMb, mostMb }, 'this host has grown too far and gives its conversations away');
      return onRetired();
    }
    timer = setTimeout(look, lookEveryMs);
  };
  if (mostMb > 0) timer = setTimeout(look, lookEveryMs);
  return { stop: () => clearTimeout(timer) };
}
