/**
 * How long to wait before trying once more, in milliseconds: twice as long after each failure, and half of it chance, so that many who
 * failed together do not come back together.
 * @param failures so far, from 1
 */
export const backOffMs = (
  failures: number,
  { firstMs, longestMs = Number.POSITIVE_INFINITY }: { firstMs: number; longestMs?: number },
): number => Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
