/** Changes of an agent as lines of plain text. Pure. */
import type { Change } from './diff.ts';

const signs = { same: '   ', removed: '  -', added: '  +', skipped: '  …' };

/** Under each subject its changes; texts line by line. None for none. */
export function changesInWords(changes: readonly Change[]): string[] {
  let last: string | undefined;
  return changes.flatMap(({ subject, text, lines = [] }) => {
    const heading = subject === last ? [] : ['', subject];
    last = subject;
    return [...heading, `  ${text}`, ...lines.map((line) => `  ${signs[line.kind]} ${line.text}`.trimEnd())];
  });
}
