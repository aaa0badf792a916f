import { sleep } from './sleep.ts';

/**
 * Looks again and again until there is something; undefined when there is nothing in time. For what another process does, and somebody
 * waits for in front of a page.
 */
export async function soon<Found>(
  look: () => Promise<Found | undefined>,
  { withinMs, everyMs }: { withinMs: number; everyMs: number },
): Promise<Found | undefined> {
  const until = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || performance.now() >= until) return found;
    await sleep(everyMs);
  }
}
