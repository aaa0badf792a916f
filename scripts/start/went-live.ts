import { diffAgents, subjectsOf } from '../../services/agent-files/compare/diff.ts';
import type { CompiledAgent } from '../../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import { bestEffort } from '../../services/process/best-effort.ts';
import { sleepOrStop } from '../../services/process/sleep.ts';
import { findAgent, listAgents } from '../../services/store/tables/agents.ts';
import { locateTenant } from '../../services/store/tables/tenants.ts';
import { shortName } from '../cli/agents/versions/words.ts';
import type { AgentSource } from './agents.ts';

const lookEveryMs = 2_000;

export interface Live {
  hash: string;
  definition: CompiledAgent;
}

/** Says which agents have another version since it was called, and what is different in it. Ends when `signal` does. */
export async function followLive(
  { agentsFolder, signal, say }: { agentsFolder: string | undefined; signal: AbortSignal; say: (line: string) => void },
  source: AgentSource,
): Promise<void> {
  let known: ReadonlyMap<string, Live> | undefined;
  while (!signal.aborted) {
    const now = await bestEffort('while the database is away nothing new is known', liveVersions(source, known));
    const lines = known && now ? liveLines(known, now) : [];
    for (const line of lines) say(line);
    if (lines.length > 0 && agentsFolder) for (const line of await warningsIn(agentsFolder)) say(line);
    known = now ?? known;
    await sleepOrStop(lookEveryMs, signal);
  }
}

/** A line for each agent that is another than before. */
export function liveLines(before: ReadonlyMap<string, Live>, now: ReadonlyMap<string, Live>): string[] {
  return [...now].flatMap(([agent, { hash, definition }]) => {
    const former = before.get(agent);
    if (former?.hash === hash) return [];
    const changed = former ? subjectsOf(diffAgents(former.definition, definition)) : 'new';
    return [`${agent} ${shortName(hash)} is live (${changed}).`];
  });
}

/** Definitions are read where they are not known yet. */
async function liveVersions({ db, tenant: slug }: AgentSource, known: ReadonlyMap<string, Live> = new Map()) {
  const tenant = await locateTenant(db, slug);
  if (!tenant) return new Map<string, Live>();
  return db.asTenant(tenant, async (tx) => {
    const rows = (await listAgents(tx)).filter((row) => !row.deleted_at);
    const live = new Map<string, Live>();
    for (const { agent, version_hash: hash } of rows) {
      const former = known.get(agent);
      const definition = former?.hash === hash ? former.definition : (await findAgent(tx, agent))?.definition;
      if (definition) live.set(agent, { hash, definition });
    }
    return live;
  });
}

async function warningsIn(agentsFolder: string): Promise<string[]> {
  const { faults } = await loadAgents(agentsFolder, { environment: 'development' });
  return faults
    .filter(({ severity }) => severity === 'warning')
    .map(({ file, line, column, message }) => `  ${file}:${line}:${column}  ${message}`);
}
