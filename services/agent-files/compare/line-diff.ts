/** The lines that were removed and added between two texts, with a little of what is around them. Pure. */

export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'skipped';
  text: string;
}

/** Beyond this many pairs of lines the changed middle is shown whole instead of being searched for what it has in common. */
const maxPairs = 4_000_000;

/** Equal texts give nothing. `around` lines stay on each side of a change; what is left out between is one `skipped` line. */
export function diffLines(before: string, after: string, around = 2): DiffLine[] {
  if (before === after) return [];
  const a = linesOf(before);
  const b = linesOf(after);
  const start = commonStart(a, b);
  const end = commonEnd(a.slice(start), b.slice(start));
  const all: DiffLine[] = [
    ...a.slice(0, start).map(same),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
  return shorten(all, around);
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));
const same = (text: string): DiffLine => ({ kind: 'same', text });
const removed = (text: string): DiffLine => ({ kind: 'removed', text });
const added = (text: string): DiffLine => ({ kind: 'added', text });

function commonStart(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

const commonEnd = (a: readonly string[], b: readonly string[]): number => commonStart(a.toReversed(), b.toReversed());

/** By the longest common subsequence of lines. */
function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > maxPairs) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push(same(left));
      i += 1;
      j += 1;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(left));
      i += 1;
    } else if (right !== undefined) {
      lines.push(added(right));
      j += 1;
    }
  }
  return lines;
}

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
