/** `npm run agents -- history|diff|show <agent>` and `-- revisions`: what is live, since when, and what changed. */
import { diffAgents, instructionTokens, subjectsOf } from '../services/agent-files/compare/diff.ts';
import { problems } from '../services/contract/problems.ts';
import { listShownRevisions, type ShownRevision } from '../services/core/agents/list-revisions.ts';
import { findAgent, type LiveAgentRow, listVersions, type VersionRow } from '../services/store/tables/agents.ts';
import { type Operator, runCommand } from './operator/operator.ts';
import { sayTable } from './operator/table.ts';
import { targetHelp } from './operator/target.ts';
import { sayAgent, sayChanges } from './operator/versions.ts';
import { Fault } from './toolchain/fault.ts';

const usage =
  'npm run agents -- history <agent> | diff <agent> [<version> <version>] | show <agent> [<version>] | revisions';
const revisionsShown = 50;
const shortHash = 12;

await runCommand({
  help: [
    `Usage: ${usage}`,
    '',
    '  history    the versions of an agent, newest first, and what each changed',
    '  diff       what changed between two versions; without them, what the live one changed',
    '  show       a version in full; without one, the live one',
    '  revisions  what the source of the agents offered lately, and why it was refused',
    '',
    'A version is named by the beginning of its hash or of its commit.',
    '',
    ...targetHelp,
  ],
  options: {},
  run: async (operator, { words: [verb, agent, ...versions] }) => {
    if (verb === 'revisions' && agent === undefined) return revisions(operator);
    if (!agent) throw new Fault(`Say what to do, and name an agent: ${usage}`);
    if (verb === 'history' && versions.length === 0) return history(operator, agent);
    if (verb === 'diff' && versions.length !== 1 && versions.length <= 2) return diff(operator, agent, versions);
    if (verb === 'show' && versions.length <= 1) return show(operator, agent, versions[0]);
    throw new Fault(`This is not understood: ${usage}`);
  },
});

interface Known {
  live: LiveAgentRow;
  /** Newest first. */
  versions: VersionRow[];
}

async function read({ db, tenant }: Operator, agent: string): Promise<Known> {
  return db.asTenant(tenant, async (tx) => {
    const live = await findAgent(tx, agent);
    if (!live) throw problems.agentNotFound(agent);
    return { live, versions: await listVersions(tx, agent) };
  });
}

function named({ versions }: Known, name: string): VersionRow {
  const found = versions.filter(({ hash, commit }) => hash.startsWith(name) || commit?.startsWith(name));
  const [version, ...others] = found;
  if (!version) throw new Fault(`There is no version "${name}"; "history" lists them.`);
  if (others.length > 0) throw new Fault(`"${name}" begins the names of several versions; write more of it.`);
  return version;
}

function liveOne({ live, versions }: Known): VersionRow {
  const version = versions.find(({ hash }) => hash === live.version_hash);
  if (!version) throw new Error('a live agent has no version');
  return version;
}

async function history(operator: Operator, agent: string): Promise<void> {
  const known = await read(operator, agent);
  const rows = known.versions.map((version, index) => [
    version.hash.slice(0, shortHash),
    version.commit?.slice(0, shortHash) ?? '-',
    version.created_at.toISOString(),
    stateOf(known.live, version),
    whatChanged(known.versions[index + 1], version),
  ]);
  sayTable(operator.say, [['VERSION', 'COMMIT', 'FIRST LIVE', 'NOW', 'CHANGED'], ...rows]);
}

function stateOf({ version_hash, deleted_at, disabled_at }: LiveAgentRow, { hash }: VersionRow): string {
  if (hash !== version_hash) return '';
  if (deleted_at) return 'deleted';
  return disabled_at ? 'disabled' : 'live';
}

function whatChanged(before: VersionRow | undefined, { definition }: VersionRow): string {
  return before ? subjectsOf(diffAgents(before.definition, definition)) : 'the first version';
}

async function diff(operator: Operator, agent: string, names: readonly string[]): Promise<void> {
  const known = await read(operator, agent);
  const after = names[1] === undefined ? liveOne(known) : named(known, names[1]);
  const before = names[0] === undefined ? known.versions[known.versions.indexOf(after) + 1] : named(known, names[0]);
  if (!before) return operator.say(`${agent} ${titleOf(after)} is its first version.`);
  operator.say(`${agent}: ${titleOf(before)} → ${titleOf(after)}`);
  sayChanges(operator.say, diffAgents(before.definition, after.definition));
}

function titleOf({ hash, commit }: VersionRow): string {
  const name = hash.slice(0, shortHash);
  return commit ? `${name} (commit ${commit.slice(0, shortHash)})` : name;
}

async function show(operator: Operator, agent: string, name: string | undefined): Promise<void> {
  const known = await read(operator, agent);
  const version = name === undefined ? liveOne(known) : named(known, name);
  const { say } = operator;
  say(`${agent}, version ${version.hash}`);
  say(`  commit       ${version.commit ?? 'none: it came from a folder'}`);
  say(`  first live   ${version.created_at.toISOString()}`);
  say(`  now          ${stateOf(known.live, version) || 'not live'}`);
  say(`  instructions about ${instructionTokens(version.definition)} tokens in every turn, tools included`);
  sayAgent(say, version.definition);
}

async function revisions({ db, tenant, say }: Operator): Promise<void> {
  const { items } = await listShownRevisions(db, tenant, { limit: revisionsShown });
  if (items.length === 0) return say('No source has offered anything yet.');
  for (const revision of items) sayRevision(say, revision);
}

function sayRevision(say: Operator['say'], revision: ShownRevision): void {
  const { at, state, isLive, commit, author, subject, source } = revision;
  const { reasons, reasonsLeftOut, warnings, warningsLeftOut, commitStatus } = revision;
  say(`${at}  ${(isLive ? 'live' : state).padEnd(7)}  ${commit?.slice(0, shortHash) ?? '-'}  ${source}`);
  if (subject !== null) say(`    "${subject}" by ${author}`);
  for (const { file, line, column, message } of reasons) say(`    ${file}:${line}:${column} ${message}`);
  if (reasonsLeftOut > 0) say(`    and ${reasonsLeftOut} more`);
  for (const { file, line, column, message } of warnings) say(`    warning: ${file}:${line}:${column} ${message}`);
  if (warningsLeftOut > 0) say(`    and ${warningsLeftOut} more warnings`);
  if (commitStatus && commitStatus.state !== 'posted')
    say(`    commit status ${commitStatus.state}: ${commitStatus.error ?? 'it is posted next'}`);
}
