import { type Change, diffAgents } from '../../../../services/agent-files/compare/diff.ts';
import type { AgentVersion, CompiledAgent } from '../../../../services/agent-files/definition/compiled.ts';
import type { LoadResult } from '../../../../services/agent-files/load.ts';

type Loaded = Pick<LoadResult, 'agents' | 'faults'>;

/** What a reviewer should know about a change of agents, as Markdown. Texts of authors stand in code only. Pure. */
export function changesBetween(before: Loaded, after: Loaded): string {
  const old = byName(before.agents);
  const fresh = byName(after.agents);
  const names = [...new Set([...old.keys(), ...fresh.keys()])].toSorted();
  const parts = names.flatMap((name) => agentPart(name, old.get(name), fresh.get(name)));
  const faults = after.faults.filter(({ severity, file }) => severity === 'error' && file !== '.');
  if (faults.length > 0) parts.push(faultsPart(faults));
  return parts.length === 0 ? 'No agent behaves differently.' : parts.join('\n\n');
}

const byName = (versions: readonly AgentVersion[]): Map<string, AgentVersion> =>
  new Map(versions.map((version) => [version.agent.agent, version]));

function agentPart(name: string, before: AgentVersion | undefined, after: AgentVersion | undefined): string[] {
  if (!after) return [`**\`${name}\`** is no longer there or has faults; without its file it is switched off.`];
  if (!before) return [`**\`${name}\`** is new: ${wordsFor(after.agent)}.`];
  const changes = diffAgents(before.agent, after.agent);
  if (changes.length === 0) return [];
  const versions = `\`${before.hash.slice(0, 12)}\` → \`${after.hash.slice(0, 12)}\``;
  return [[`**\`${name}\`** changes, ${versions}`, '', ...changes.map(changeItem)].join('\n')];
}

const wordsFor = ({ languages, tools }: CompiledAgent): string =>
  `languages ${languages.map(({ code }) => code).join(', ')}; tools ${tools.map((tool) => tool.name).join(', ') || 'none'}`;

function changeItem({ subject, text, lines = [] }: Change): string {
  const item = `- ${subject}: ${inCode(text)}`;
  if (lines.length === 0) return item;
  const signs = { same: ' ', removed: '-', added: '+', skipped: '…' };
  const body = lines.map((line) => `${signs[line.kind]} ${line.text}`.trimEnd());
  const fence = '`'.repeat(Math.max(3, longestRun(body.join('\n')) + 1));
  return [item, '', `  ${fence}diff`, ...body.map((line) => `  ${line}`), `  ${fence}`].join('\n');
}

const faultsPart = (faults: Loaded['faults']): string =>
  [
    'What has faults does not go live:',
    '',
    ...faults.map(({ file, line, column, message }) => `- ${inCode(`${file}:${line}:${column} ${message}`)}`),
  ].join('\n');

/** Longer than any run of backticks inside: nothing that an author wrote becomes a link, a mention or markup. */
function inCode(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  return `${fence} ${text.replaceAll(/\s+/g, ' ')} ${fence}`;
}

const longestRun = (text: string): number => Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
