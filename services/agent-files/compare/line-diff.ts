/** The lines that were removed and added between two texts, with a little of what is around them. Pure. */
import { diffArrays } from 'diff';

export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'skipped';
  text: string;
}

/** Beyond this many changed lines both texts are shown whole: the search takes a time that grows with the square of them. */
const mostChanges = 1_000;

/** Equal texts give nothing. `around` lines stay on each side of a change; what is left out between is one `skipped` line. */
export function diffLines(before: string, after: string, around = 2): DiffLine[] {
  if (before === after) return [];
  return shorten(allLines(linesOf(before), linesOf(after)), around);
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

function allLines(before: string[], after: string[]): DiffLine[] {
  const changes = diffArrays(before, after, { maxEditLength: mostChanges });
  if (!changes) return [...asLines('removed', before), ...asLines('added', after)];
  return changes.flatMap(({ value, added, removed }) => asLines(added ? 'added' : removed ? 'removed' : 'same', value));
}

const asLines = (kind: DiffLine['kind'], texts: readonly string[]): DiffLine[] => texts.map((text) => ({ kind, text }));

function shorten(all: readonly DiffLine[], around: number): DiffLine[] {
  const near = new Set<number>();
  for (const [index, { kind }] of all.entries()) {
    if (kind === 'same') continue;
    const last = Math.min(all.length - 1, index + around);
    for (let shown = Math.max(0, index - around); shown <= last; shown += 1) near.add(shown);
  }
  const lines: DiffLine[] = [];
  let left = 0;
  const flush = () => {
    if (left > 0) lines.push({ kind: 'skipped', text: left === 1 ? '1 line' : `${left} lines` });
    left = 0;
  };
  for (const [index, line] of all.entries()) {
    if (near.has(index)) {
      flush();
      lines.push(line);
    } else left += 1;
  }
  flush();
  return lines;
}
