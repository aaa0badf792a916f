/** What a preview says beside its list of resources. Pure. */

import { diffAgents } from '../../services/agent-files/compare/diff.ts';
import { changesInWords } from '../../services/agent-files/compare/words.ts';
import type { AgentVersion } from '../../services/agent-files/definition/compiled.ts';
import type { DeclaredTelephone } from '../../services/contract/declared-telephone.ts';
import { type Consequence, consequencesOf } from './consequences.ts';
import type { Part } from './part.ts';
import { telephoneInWords } from './telephone.ts';

/** What the last up left, for the next one to be compared with. */
export interface Described {
  parts: readonly Part[];
  /** Agents that came with the stack. */
  agents: readonly AgentVersion[];
  /** Trunks and numbers; a release that declared none left nothing. */
  telephone?: DeclaredTelephone;
  /** Of the month while nobody talks; undefined where nobody knows. */
  monthlyUsd: number | undefined;
}

/** So many lines of a text that changed; `parley agents changes` says all. */
const mostLines = 30;

const nothingBefore =
  'There is no earlier up that ended well to compare with: what this changes, the list of resources says, and the next preview in words.';

/** @param before undefined: nothing was ever made, or by a release that left no description */
export function previewInWords(before: Described | undefined, after: Described): string {
  if (before === undefined) return nothingBefore;
  return [
    behaviour(before.agents, after.agents),
    ...telephone(before, after),
    ...running(before, after),
    ...cost(before, after),
  ].join('\n');
}

function behaviour(before: readonly AgentVersion[], after: readonly AgentVersion[]): string {
  const old = byName(before);
  const fresh = byName(after);
  const names = [...new Set([...old.keys(), ...fresh.keys()])].toSorted();
  const told = names.flatMap((name) => ofAgent(name, old.get(name), fresh.get(name)));
  return told.length === 0 ? 'No agent of this stack behaves differently.' : ['Agents:', ...indented(told)].join('\n');
}

function telephone(before: Described, after: Described): string[] {
  const told = telephoneInWords(before.telephone ?? noTelephone, after.telephone ?? noTelephone);
  return told.length === 0 ? [] : ['Telephone:', ...indented(told)];
}

const noTelephone: DeclaredTelephone = { trunks: [], numbers: [] };

const byName = (versions: readonly AgentVersion[]) =>
  new Map(versions.map((version) => [version.agent.agent, version]));

function ofAgent(name: string, before: AgentVersion | undefined, after: AgentVersion | undefined): string[] {
  if (!after) return [`${name} is switched off: its file is gone.`];
  if (!before) return [`${name} is new.`];
  const lines = changesInWords(diffAgents(before.agent, after.agent)).filter((line) => line !== '');
  if (lines.length === 0) return [];
  const left = lines.length - mostLines;
  const shown = left > 0 ? [...lines.slice(0, mostLines), `… ${left} lines more.`] : lines;
  return [`${name} behaves differently:`, ...indented(shown)];
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`.trimEnd());

function running(before: Described, after: Described): string[] {
  const consequences = consequencesOf(before.parts, after.parts);
  if (consequences.length === 0) return ['Nothing that runs is restarted or replaced.'];
  const verdict = consequences.some(({ cuts }) => cuts) ? 'CONVERSATIONS ARE CUT by this:' : 'Nobody is cut:';
  return [verdict, ...indented(consequences.map(consequenceInWords))];
}

/** Such as `the API, 1 → 2 (image, settings): rolls; nobody is cut: …`. */
export function consequenceInWords({ what, replicas, because, way, noticed }: Consequence): string {
  const count = replicas === undefined ? '' : `, ${replicas.before} → ${replicas.after}`;
  const why = because.length === 0 ? '' : ` (${because.join(', ')})`;
  return `${what}${count}${why}: ${because.length === 0 ? '' : `${way}; `}${noticed}.`;
}

const cost = ({ monthlyUsd: was }: Described, { monthlyUsd: is }: Described): string[] =>
  was === undefined || is === undefined || was === is
    ? []
    : [`It costs about ${is.toFixed(2)} USD a month while nobody talks, before ${was.toFixed(2)}.`];
