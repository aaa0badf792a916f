import { loadAgents } from '../../agent-files/load.ts';
import { FileMemory } from '../../agent-files/read/file-memory.ts';
import { noteFiles } from '../../core/agents/source-files.ts';
import { type GitWriting, writingToGit } from '../../core/agents/writing.ts';
import { type AgentsBranch, sourceOf } from '../../core/git/access.ts';
import { GitError } from '../../core/git/run-git.ts';
import { startLoop } from '../../process/loop.ts';
import { newestRevision, type RevisionRow } from '../../store/tables/agent-revisions.ts';
import { type ActivateDeps, activateRevision } from './activate.ts';
import { type GitRepository, openGitRepository } from './git-repository.ts';
import { type Owner, ownerOf } from './owner.ts';
import { noteReadability } from './readability.ts';
import type { AgentsSource, OnRevision } from './source.ts';

export interface GitSourceSettings extends AgentsBranch, Omit<GitWriting, 'url'> {
  pollMs: number;
}

export interface GitSourceOptions extends GitSourceSettings {
  /** Slug of the tenant that the agents belong to. */
  tenant: string;
  environment: 'development' | 'production';
  env: Readonly<Record<string, string | undefined>>;
  onRevision: OnRevision;
  /** Whether the repository could be read at the last look. */
  onLook: (readable: boolean) => void;
  /** What came of the head when it was judged, by whichever process; told at every look that finds nothing new. */
  onKnown: (state: RevisionRow['state']) => void;
}

/**
 * Keeps the agents at the head of a branch live, whatever was done to it: a merge, a revert, a force-push. While the
 * repository or the database is away the last good revision stays live, and it is tried again at every poll.
 */
export async function watchAgentsRepository(deps: ActivateDeps, options: GitSourceOptions): Promise<AgentsSource> {
  const stopping = new AbortController();
  const repository = await openGitRepository({ ...options, signal: stopping.signal });
  const memory = new FileMemory();
  const readability = noteReadability(deps.db, { tenant: options.tenant, source: sourceOf(options) });
  let settled: string | undefined;
  /** Counts what was asked for, so that a request that comes during a look is for the next one. */
  let asked = 0;
  let judged = 0;
  let lastFault: string | undefined;

  const look = async () => {
    const owner = await ownerOf(deps.db, options.tenant);
    const asking = asked;
    const known = asking === judged ? settled : undefined;
    const commit = await judgeHead(deps, options, { repository, owner, settled: known, memory });
    if (commit === undefined) return loop.nudge();
    settled = commit;
    judged = asking;
    if (lastFault !== undefined) deps.log.info({ commit }, 'the repository of the agents can be read again');
    lastFault = undefined;
    options.onLook(true);
    await readability.read();
  };
  const onError = (err: unknown) => {
    if (stopping.signal.aborted) return;
    options.onLook(false);
    // Whoever looks at the agents is not told of a database that is away.
    if (err instanceof GitError) readability.failed(err);
    const fault = err instanceof Error ? err.message : String(err);
    // Once for each thing that is wrong, not at every poll; the metric stays up meanwhile.
    if (fault !== lastFault)
      deps.log.error(
        { err, source: sourceOf(options) },
        'the agents could not be read; the last good revision stays live',
      );
    lastFault = fault;
  };
  const loop = startLoop(options.pollMs, look, onError);
  return {
    nudge: loop.nudge,
    judgeAgain: () => {
      asked += 1;
      loop.nudge();
    },
    stop: async () => {
      stopping.abort();
      await loop.stop();
      await repository.close();
    },
  };
}

interface Look {
  repository: GitRepository;
  owner: Owner;
  /** The commit that this process judged last. */
  settled: string | undefined;
  memory: FileMemory;
}

/**
 * The commit that is judged now, by this process or an equal one; undefined when another process has judged a later one
 * meanwhile. The newest revision is read before the branch is: whoever is overtaken between the two never overwrites.
 */
async function judgeHead(
  deps: ActivateDeps,
  options: GitSourceOptions,
  { repository, owner, settled, memory }: Look,
): Promise<string | undefined> {
  const { tenant, webhookEnabled } = owner;
  const source = sourceOf(options);
  const newest = await deps.db.asTenant(tenant, (tx) => newestRevision(tx, source));
  const head = await repository.head();
  if (head === settled && newest?.commit === head) {
    options.onKnown(newest.state);
    return head;
  }
  const commit = await repository.fetch();
  const {
    agents: versions,
    faults,
    scenarios,
  } = await loadAgents(await repository.folder(commit, options.path), {
    environment: options.environment,
    webhookEnabled,
    policies: deps.policies ?? [],
    variables: deps.declaredVariables,
    providerHosts: deps.providerHosts,
    memory,
  });
  const seen = newest?.id ?? null;
  const texts = await repository.agentTexts(commit, options.path);
  await noteFiles(deps.db, { tenant, source, commit, seen, ...writingToGit(options) }, texts);
  const origin = { tenant, source, commit, ...(await repository.describe(commit)) };
  const found = { ...origin, versions, faults, scenarios, seen };
  const outcome = await activateRevision(deps, found);
  options.onRevision(outcome, versions.length);
  return outcome === 'overtaken' ? undefined : commit;
}
