import { stringify } from 'yaml';
import type { Change } from '../../../../services/agent-files/compare/diff.ts';
import { changesInWords } from '../../../../services/agent-files/compare/words.ts';
import type { CompiledAgent } from '../../../../services/agent-files/definition/compiled.ts';
import type { LiveAgentRow, VersionRow } from '../../../../services/store/tables/agents.ts';

type Say = (line: string) => void;

/** Under each subject its changes; texts line by line. */
export function sayChanges(say: Say, changes: readonly Change[]): void {
  if (changes.length === 0) return say('Nothing changed.');
  for (const line of changesInWords(changes)) say(line);
}

/** Everything that a session of this version keeps, as YAML. Secrets are references in it. */
export function sayAgent(say: Say, definition: CompiledAgent): void {
  say('');
  say(stringify(definition, { lineWidth: 0 }).trimEnd());
}

const shownOfHash = 12;

/** The beginning of a version's hash or of a commit, by which it can be named. */
export const shortName = (hash: string): string => hash.slice(0, shownOfHash);

/** Of a version, beside the agent that is live: empty for one that was replaced. */
export function stateOf({ version_hash, deleted_at, disabled_at }: LiveAgentRow, { hash }: VersionRow): string {
  if (hash !== version_hash) return '';
  if (deleted_at) return 'deleted';
  return disabled_at ? 'disabled' : 'live';
}

export function titleOf({ hash, commit }: VersionRow): string {
  const name = shortName(hash);
  return commit ? `${name} (commit ${shortName(commit)})` : name;
}
