/** Rows of equal length, the first being the heads; every column as wide as its widest cell. */
export function sayTable(say: (line: string) => void, rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  for (const cells of rows) {
    const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    say(padded.join('  ').trimEnd());
  }
}
