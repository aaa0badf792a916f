/** For what a test waits for unless it says another time. 30 s were not enough beside other stories on a machine of half the speed. */
export const patienceMs = 90_000;

/**
 * Waits for a fact: asks again until `look` gives something other than undefined or false, and fails with its name when it
 * does not come true within the (generous) deadline. Errors of `look` count as "not yet"; the last one is reported.
 */
export async function eventually<Fact>(
  name: string,
  look: () => Promise<Fact | undefined | false> | Fact | undefined | false,
  { withinMs = patienceMs, everyMs = 25 }: { withinMs?: number; everyMs?: number } = {},
): Promise<Fact> {
  const deadline = performance.now() + withinMs;
  let last: unknown;
  do {
    try {
      const fact = await look();
      if (fact !== undefined && fact !== false) return fact;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  } while (performance.now() < deadline);
  throw new Error(`did not come true within ${withinMs / 1000} s: ${name}`, last === undefined ? {} : { cause: last });
}
