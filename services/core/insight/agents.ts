/** What people see of a tenant's agents: as they answer now, and the versions that they ever were. */
import { diffAgents, instructionTokens, subjectsOf } from '../../agent-files/compare/diff.ts';
import type { CompiledAgent, CompiledTool } from '../../agent-files/definition/compiled.ts';
import { renderInstructions } from '../../agent-files/definition/instructions.ts';
import type { Page } from '../../contract/account-answers.ts';
import type {
  AgentItem,
  AgentShown,
  AgentsPage,
  SourceShown,
  VersionItem,
  VersionShown,
} from '../../contract/deployment-answers.ts';
import { problems } from '../../contract/problems.ts';
import type { Database, Tx } from '../../store/database.ts';
import type { RevisionReason } from '../../store/tables/agent-revisions.ts';
import { findAgentFile, findSource, findUnreadable } from '../../store/tables/agent-sources.ts';
import {
  type AgentRow,
  findAgent,
  type LiveAgentRow,
  listLiveAgents,
  listVersionsOf,
  type VersionRow,
} from '../../store/tables/agents.ts';
import { listHostSpeech } from '../../store/tables/hosts.ts';
import { listShownRevisions, type ShownRevision } from '../agents/list-revisions.ts';
import type { MissingSecret } from '../challenges/secrets.ts';
import { type HostsSpeech, keysMissingOn, speaks } from '../hosts/speech.ts';
import { listCapsNear } from './caps-near.ts';

const shownOfHash = 12;

/** What the deployment is, beside what its database knows. */
export interface AgentsDeps {
  db: Database;
  missingSecret: MissingSecret;
}

export interface AgentsQuery {
  /** The agent that was the last of the page before. */
  after?: string | undefined;
  limit: number;
}

/** A page of agents by name, and what became of the newest revision of their files. */
export async function listShownAgents(
  { db, missingSecret }: AgentsDeps,
  tenant: string,
  { after, limit }: AgentsQuery,
): Promise<AgentsPage> {
  const newestRevision = await newestOf(db, tenant);
  // One more than is shown tells whether there is a next page.
  const hosts = await listHostSpeech(db);
  const rows = await db.asTenant(tenant, (tx) => listLiveAgents(tx, { after, limit: limit + 1 }));
  const shown = rows.slice(0, limit);
  const near = await db.asTenant(tenant, (tx) => listCapsNear(tx, tenant, shown));
  return {
    items: shown.map((row) => ({
      ...toShown(row, { hosts, missingSecret }),
      capsNear: near.get(row.agent) ?? [],
      refused: refusedOf(newestRevision, row.agent),
    })),
    nextCursor: rows.length > limit ? (shown.at(-1)?.agent ?? null) : null,
    newestRevision,
    source: await db.asTenant(tenant, shownSource),
    unreadable: (await db.asTenant(tenant, findUnreadable)) ?? null,
  };
}

/** Where the files are, and what people may have written there; null where no worker has read them yet. */
async function shownSource(tx: Tx): Promise<SourceShown | null> {
  const row = await findSource(tx);
  return row
    ? { source: row.source, commit: row.commit, writing: row.writing, how: row.how, seenAt: row.seen_at }
    : null;
}

const newestOf = async (db: Database, tenant: string): Promise<ShownRevision | null> =>
  (await listShownRevisions(db, tenant, { limit: 1 })).items[0] ?? null;

interface Deployment extends Pick<AgentsDeps, 'missingSecret'> {
  hosts: HostsSpeech;
}

const toShown = (row: LiveAgentRow, { hosts, missingSecret }: Deployment): Omit<AgentItem, 'refused' | 'capsNear'> => ({
  agent: row.agent,
  name: row.definition.name,
  state: stateOf(row),
  version: row.version_hash.slice(0, shownOfHash),
  commit: row.commit,
  activatedAt: row.activated_at,
  prompt: row.definition.prompt,
  ...wordsOf(row, hosts),
  missingKeys: keysMissingOn(row.definition, hosts),
  challenge: challengeOf(row, missingSecret),
  hasWidget: row.settings.widget !== undefined,
  hasWebhook: row.settings.webhook !== undefined,
});

function challengeOf({ settings }: LiveAgentRow, missingSecret: MissingSecret): AgentItem['challenge'] {
  const { challenge } = settings.sessions;
  return challenge ? { provider: challenge.provider, missing: missingSecret(challenge) ?? null } : null;
}

export function stateOf({ deleted_at, disabled_at }: AgentRow): 'live' | 'disabled' | 'deleted' {
  if (deleted_at) return 'deleted';
  return disabled_at ? 'disabled' : 'live';
}

const wordsOf = ({ definition, settings }: LiveAgentRow, hosts: HostsSpeech) => ({
  voiceAgentKind: definition.voiceAgentKind,
  interactionMode: definition.interactionMode,
  defaultLanguage: definition.defaultLanguage,
  languages: definition.languages.map(({ code, name, voices }) => ({
    ...{ code, name, speaks: speaks({ definition, settings }, code, hosts) },
    voices: voices.map(({ id, name, default: isDefault }) => ({ id, name, default: isDefault })),
  })),
  tools: definition.tools.map((tool) => ({ name: tool.name, description: tool.description, kind: kindOf(tool) })),
  model: { provider: definition.model.provider, name: definition.model.name ?? null },
  instructionTokens: instructionTokens(definition),
});

function kindOf({ http, builtin }: CompiledTool): 'http' | 'builtin' | 'client' {
  if (http) return 'http';
  return builtin ? 'builtin' : 'client';
}

/** Why what stands in an agent's own files is not live. */
function refusedOf(newest: ShownRevision | null, agent: string): RevisionReason[] {
  const own = [`${agent}.yaml`, `scenarios/${agent}.yaml`];
  return newest?.reasons.filter(({ file }) => own.includes(file)) ?? [];
}

/**
 * An agent with what its model is told in a language, its default one unless another is named.
 * @throws Problem `agent_not_found`, `language_not_configured`
 */
export async function showAgent(
  { db, missingSecret }: AgentsDeps,
  { tenant, agent, language }: { tenant: string; agent: string; language: string | undefined },
  now: Date,
): Promise<AgentShown> {
  const { row, file, source, near } = await db.asTenant(tenant, async (tx) => {
    const known = await knownAgent(tx, agent);
    const ofFile = { file: await findAgentFile(tx, agent), source: await shownSource(tx) };
    return { row: known, ...ofFile, near: await listCapsNear(tx, tenant, [known]) };
  });
  const { definition } = row;
  const code = languageFor(definition, language);
  const text = renderInstructions(definition, { now, language: code, channel: 'api' });
  const refused = refusedOf(await newestOf(db, tenant), agent);
  // As it stands at the head of the source, whether that is live or not; a prompt that is null can't be read.
  const inSource = file ? { id: file.file_id, prompt: file.prompt } : null;
  const shown = {
    ...toShown(row, { hosts: await listHostSpeech(db), missingSecret }),
    capsNear: near.get(agent) ?? [],
  };
  return { ...shown, refused, instructions: { language: code, text }, file: inSource, source };
}

/** The language of an agent that is meant, its default one unless another is named. @throws Problem `language_not_configured` */
export function languageFor(
  { languages, defaultLanguage }: Pick<CompiledAgent, 'languages' | 'defaultLanguage'>,
  language: string | undefined,
): string {
  const codes = languages.map(({ code }) => code);
  const wanted = language ?? defaultLanguage;
  const code = codes.find((known) => known.toLowerCase() === wanted.toLowerCase());
  if (code === undefined) throw problems.languageNotConfigured(wanted, codes);
  return code;
}

async function knownAgent(tx: Tx, agent: string): Promise<LiveAgentRow> {
  const row = await findAgent(tx, agent);
  if (!row) throw problems.agentNotFound(agent);
  return row;
}

/** Versions, the newest first, each with what it changed; `after` is the last one's hash of the page before. @throws Problem `agent_not_found` */
export async function listShownVersions(
  db: Database,
  { tenant, agent }: { tenant: string; agent: string },
  { after, limit }: AgentsQuery,
): Promise<Page<VersionItem>> {
  return db.asTenant(tenant, async (tx) => {
    const live = await knownAgent(tx, agent);
    // One more is what the last one changed, and tells whether there is a next page.
    const rows = await listVersionsOf(tx, agent, { after, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    return {
      items: shown.map((row, index) => ({
        ...titleOf(live, row),
        changed: subjectsOf(changesBetween(rows[index + 1], row)),
      })),
      nextCursor: rows.length > limit ? (shown.at(-1)?.hash ?? null) : null,
    };
  });
}

const titleOf = (live: LiveAgentRow, { hash, commit, created_at }: VersionRow): Omit<VersionItem, 'changed'> => ({
  version: hash.slice(0, shownOfHash),
  commit,
  createdAt: created_at,
  /** Null: it was replaced. */
  state: hash === live.version_hash ? stateOf(live) : null,
});

/** Settings belong to no version: they are those of now in each. */
function changesBetween(before: VersionRow | undefined, after: VersionRow) {
  if (!before) return [];
  return diffAgents({ ...before.definition, settings: after.definition.settings }, after.definition);
}

/**
 * A version in full, and what it changed of the one before it, or of `against`. Both are named by the beginning of their hashes.
 * @throws Problem `agent_not_found`, `version_not_found`
 */
export async function showVersion(
  db: Database,
  { tenant, agent, version, against }: { tenant: string; agent: string; version: string; against: string | undefined },
): Promise<VersionShown & { definition: object }> {
  return db.asTenant(tenant, async (tx) => {
    const live = await knownAgent(tx, agent);
    const row = await named(tx, agent, version);
    const [before] =
      against === undefined
        ? await listVersionsOf(tx, agent, { after: row.hash, limit: 1 })
        : [await named(tx, agent, against)];
    const { settings: _, ...definition } = row.definition;
    return {
      ...titleOf(live, row),
      definition,
      prompt: definition.prompt,
      against: before ? before.hash.slice(0, shownOfHash) : null,
      changes: changesBetween(before, row),
    };
  });
}

async function named(tx: Tx, agent: string, version: string): Promise<VersionRow> {
  const [row] = await listVersionsOf(tx, agent, { beginning: version, limit: 1 });
  if (!row) throw problems.versionNotFound(agent, version);
  return row;
}
