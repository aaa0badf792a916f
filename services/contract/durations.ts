/** Durations as people write them in YAML: a whole number and a unit, such as `30s` or `90d`. */

const unitMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration, or undefined when the text is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^([1-9][0-9]{0,8})(ms|s|m|h|d)$/.exec(text);
  const unit = unitMs[match?.[2] ?? ''];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/** Milliseconds of a duration that the schema has already accepted. Throws a RangeError for any other text. */
export function durationMs(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new RangeError(`"${text}" is not a duration.`);
  return ms;
}
