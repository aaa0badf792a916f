import { type Figure, isMet, type Target } from './row.ts';

/** The value below which `share` (0 to 1) of the sample lies: the nearest rank, so always one that was measured. */
export function quantile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** Of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? Number.NaN;
  const lower = sorted[Math.ceil(half) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

interface Shown {
  name: string;
  unit: string;
  target?: Target;
}

/** One figure of several rounds: their median, with the least and the most; the median is what a target is held against. */
export function figureOf({ name, unit, target }: Shown, rounds: readonly number[]): Figure {
  const value = rounded(median(rounds));
  return {
    name,
    unit,
    value,
    least: rounded(Math.min(...rounds)),
    most: rounded(Math.max(...rounds)),
    rounds: rounds.map(rounded),
    ...(target ? { target, met: isMet(value, target) } : {}),
  };
}

/** A figure that was measured once or counted. */
export const oneFigure = ({ name, unit, target }: Shown, value: number): Figure => ({
  name,
  unit,
  value: rounded(value),
  ...(target ? { target, met: isMet(value, target) } : {}),
});

/** Four significant digits below 1000, whole numbers above. */
function rounded(value: number): number {
  return Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
}
