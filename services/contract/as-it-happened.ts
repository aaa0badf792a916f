/**
 * What was said and done, from the order in which it was stored to the one in which it happened: an answer has the time of its last word,
 * and what the person wrote after reading it may be stored before it. Within a turn nothing comes before what was stored before it, since
 * clocks of hosts and of the database differ by milliseconds; turn 0 is none. What has the same time stays as it is given.
 */
export function asItHappened<Line>(
  lines: readonly Line[],
  placeOf: (line: Line) => { turn: number; at: Date },
): Line[] {
  const latest = new Map<number, number>();
  const timed = lines.map((line) => {
    const { turn, at } = placeOf(line);
    const time = Math.max(at.getTime(), latest.get(turn) ?? 0);
    if (turn > 0) latest.set(turn, time);
    return { line, time };
  });
  return timed.sort((one, other) => one.time - other.time).map(({ line }) => line);
}
