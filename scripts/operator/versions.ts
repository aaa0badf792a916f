import { stringify } from 'yaml';
import type { Change } from '../../services/agent-files/compare/diff.ts';
import type { CompiledAgent } from '../../services/agent-files/definition/compiled.ts';

type Say = (line: string) => void;

const signs = { same: '   ', removed: '  -', added: '  +', skipped: '  …' };

/** Under each subject its changes; texts line by line. */
export function sayChanges(say: Say, changes: readonly Change[]): void {
  if (changes.length === 0) return say('Nothing changed.');
  let last: string | undefined;
  for (const { subject, text, lines = [] } of changes) {
    if (subject !== last) say(`\n${subject}`);
    last = subject;
    say(`  ${text}`);
    for (const line of lines) say(`  ${signs[line.kind]} ${line.text}`.trimEnd());
  }
}

/** Everything that a session of this version keeps, as YAML. Secrets are references in it. */
export function sayAgent(say: Say, definition: CompiledAgent): void {
  say('');
  say(stringify(definition, { lineWidth: 0 }).trimEnd());
}
