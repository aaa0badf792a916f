/** One step of stopping; it keeps a deadline of its own. */
export type StopStep = () => Promise<unknown>;

/** npm, the terminal and our own starter may each pass the same Ctrl-C on: within this time it is one. */
const sameKeyMs = 1_000;

/**
 * Calls `onStop` at the first SIGINT, SIGTERM or SIGHUP, or when the process that started us is gone; `onKill` at a
 * second signal that is not an echo of the first.
 */
export function onStopSignals(onStop: () => void, onKill: () => void): void {
  let firstAt: number | undefined;
  const hear = () => {
    if (firstAt === undefined) {
      firstAt = Date.now();
      onStop();
    } else if (Date.now() - firstAt > sameKeyMs) {
      onKill();
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, hear);
  if (!process.channel) return;
  process.once('disconnect', () => {
    if (firstAt === undefined) hear();
  });
  process.channel.unref();
}
