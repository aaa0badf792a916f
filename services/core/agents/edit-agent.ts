/** What the dashboard writes: a change of an agent's file, as a commit in the repository that its agents come from. */
import type { CheckOptions } from '../../agent-files/check-files.ts';
import { promptOf } from '../../agent-files/edit/set-prompt.ts';
import type { Fault } from '../../agent-files/faults.ts';
import { problems } from '../../contract/problems.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { isBranchName } from '../../settings/git-address.ts';
import type { AgentsBranch } from '../git/access.ts';
import { GitError } from '../git/run-git.ts';
import { type Git, openScratchRepository, type ScratchRepository } from '../git/scratch-repository.ts';
import { changedFile, fileOf, type Wanted } from './change-file.ts';
import { type FileInCommit, readAgentFiles } from './files-in-commit.ts';

/** The branch that the agents come from; its key or token must be allowed to write. */
export interface PromptRepository extends AgentsBranch {
  /** The process's own variables: PATH, and the token that is named. */
  env: Readonly<Record<string, string | undefined>>;
}

export interface EditablePrompt {
  agent: string;
  prompt: string;
  /** Git's id of the agent's file as it was read: what `editAgent` compares with. */
  fileId: string;
  commit: string;
}

export interface AgentEdit {
  agent: string;
  wanted: Wanted;
  /** `fileId` of the version that the person had before them; undefined where something is added to whatever is there. */
  editedFileId: string | undefined;
  author: { name: string; email: string };
  /** First line of the commit. */
  message: string;
  /** A new branch for a proposal. Left out: the repository's branch itself. */
  proposalBranch?: string;
  /** Told by the commit's trailer `Parley-Job`: whoever repeats the edit finds the commit by it. */
  job?: string;
}

export interface CommittedEdit {
  commit: string;
  branch: string;
  fileId: string;
  /** False when the file says this already; `commit` is the branch's head then. */
  changed: boolean;
  /** Warnings that the new prompt brings; errors refuse it. */
  warnings: Fault[];
}

const jobTrailer = 'Parley-Job';
/** So many commits back an earlier attempt of the same job is looked for: it was minutes ago. */
const commitsLookedAt = 200;
/** A push that lost a race is built again on what won it. */
const attempts = 5;

/** The prompt at the branch's head. @throws Problem `agent_not_found`, `unavailable` */
export async function readPrompt(repository: PromptRepository, agent: string): Promise<EditablePrompt> {
  await using scratch = await openRepository(repository);
  const { git } = scratch;
  const head = await fetchHead(git, repository);
  const { file } = await readAgent(git, { head, repository, agent });
  const prompt = promptOf(file.text);
  if (prompt === undefined) throw problems.promptNotEditable(agent);
  return { agent, prompt, fileId: file.id, commit: head };
}

/**
 * Commits another prompt, another webhook or one more scenario, with everything else of the file kept, on the branch's head as it is now or on a new proposal
 * branch. Changes of other files in between do not matter; when the agent's own file has changed since the person read
 * it, nothing is written.
 * @throws Problem `prompt_conflict`, `proposal_exists`, `branch_protected`, `prompt_not_editable`, `agent_not_found`,
 * `invalid_request` with every fault and its position, `unavailable`
 */
export async function editAgent(
  repository: PromptRepository,
  edit: AgentEdit,
  options: CheckOptions = {},
): Promise<CommittedEdit> {
  checkNames(edit);
  await using scratch = await openRepository(repository);
  const { git } = scratch;
  for (let attempt = 1; ; attempt++) {
    const head = await fetchHead(git, repository);
    const change = await changeOf(git, { head, repository, edit, options });
    const branch = edit.proposalBranch ?? repository.branch;
    if (!change.changed) return { ...change, commit: head, branch: repository.branch };
    const commit = await commitFile(git, { head, edit, ...change });
    const pushed = await push(git, repository, { commit, branch, expected: edit.proposalBranch ? '' : head });
    if (pushed) return { commit, branch, fileId: change.fileId, changed: true, warnings: change.warnings };
    if (edit.proposalBranch) throw problems.proposalExists(edit.proposalBranch);
    if (attempt === attempts) throw problems.unavailable('The branch of the agents, which others are changing,');
  }
}

/**
 * The commit that an earlier attempt of a job has pushed to one of these branches: its worker may have died before it could say so.
 * Undefined when there is none. @throws Problem `unavailable`
 */
export async function findCommitOfJob(
  repository: PromptRepository,
  { job, branches, ...change }: { job: string; agent: string; wanted: Wanted; branches: readonly string[] },
): Promise<Pick<CommittedEdit, 'commit' | 'branch' | 'fileId'> | undefined> {
  await using scratch = await openRepository(repository);
  const { git } = scratch;
  for (const branch of branches) {
    if ((await headOf(git, repository.url, `refs/heads/${branch}`)) === '') continue;
    const head = await fetchHead(git, { ...repository, branch }, commitsLookedAt);
    const format = `--format=%H %(trailers:key=${jobTrailer},valueonly,separator=%x20)`;
    const lines = (await git(['log', '--no-show-signature', format, head])).toString().split('\n');
    const commit = lines.find((line) => line.endsWith(` ${job}`))?.split(' ')[0];
    if (commit === undefined) continue;
    const { files } = await readAgent(git, { head: commit, repository, agent: change.agent });
    return { commit, branch, fileId: files.find(({ name }) => name === fileOf(change))?.id ?? '' };
  }
  return undefined;
}

/** What becomes part of a command line or of a commit's header. */
function checkNames({ author, proposalBranch, message }: AgentEdit): void {
  if (![author.name, author.email].every((text) => /^[^<>\p{C}]{1,200}$/u.test(text)))
    throw problems.invalidRequest('The author needs a name and an address, without < and >.');
  if (!/\S/.test(message)) throw problems.invalidRequest('Say in a line what the change is for.');
  if (proposalBranch !== undefined && !isBranchName(proposalBranch))
    throw problems.invalidRequest(`"${proposalBranch}" cannot be the name of a branch.`);
}

async function openRepository(repository: PromptRepository): Promise<ScratchRepository> {
  const scratch = await openScratchRepository(repository, repository);
  try {
    await scratch.begin();
    return scratch;
  } catch (error) {
    await scratch[Symbol.asyncDispose]();
    throw error instanceof GitError ? problems.unavailable('The repository of the agents') : error;
  }
}

async function fetchHead(git: Git, { url, branch }: PromptRepository, depth = 1): Promise<string> {
  const only = ['--quiet', `--depth=${depth}`, '--no-tags', '--no-recurse-submodules', '--force'];
  try {
    await git(['fetch', ...only, '--', url, `+refs/heads/${branch}:refs/heads/fetched`]);
  } catch (error) {
    if (error instanceof GitError) throw problems.unavailable('The repository of the agents');
    throw error;
  }
  return (await git(['rev-parse', '--verify', 'refs/heads/fetched^{commit}'])).toString().trim();
}

interface Base {
  head: string;
  repository: PromptRepository;
}

async function readAgent(
  git: Git,
  { head, repository, agent }: Base & { agent: string },
): Promise<{ file: FileInCommit; files: FileInCommit[] }> {
  const files = await readAgentFiles(git, head, repository.path);
  const file = files.find(({ name }) => name === `${agent}.yaml`);
  if (!file) throw problems.agentNotFound(agent);
  return { file, files };
}

interface Change {
  file: Pick<FileInCommit, 'path' | 'mode'>;
  fileId: string;
  changed: boolean;
  warnings: Fault[];
}

async function changeOf(
  git: Git,
  { edit, options, ...base }: Base & { edit: AgentEdit; options: CheckOptions },
): Promise<Change> {
  const { file: own, files } = await readAgent(git, { ...base, agent: edit.agent });
  if (edit.editedFileId !== undefined && own.id !== edit.editedFileId) throw problems.promptConflict(edit.agent);
  const wantedName = fileOf(edit);
  const old = files.find(({ name }) => name === wantedName);
  const file = old ?? { mode: '100644', path: own.path.slice(0, -own.name.length) + wantedName };
  const texts = new Map(files.map(({ name, text: old }) => [name, old]));
  const { text, warnings } = changedFile(texts, edit, options);
  if (text === old?.text) return { file, fileId: old.id, changed: false, warnings };
  const id = (await git(['hash-object', '-w', '--stdin', '--no-filters'], { input: text })).toString().trim();
  return { file, fileId: id, changed: true, warnings };
}

async function commitFile(
  git: Git,
  { head, file, fileId, edit }: { head: string; edit: AgentEdit } & Pick<Change, 'file' | 'fileId'>,
): Promise<string> {
  await git(['read-tree', head]);
  await git(['update-index', '--add', '--cacheinfo', `${file.mode},${fileId},${file.path}`]);
  const tree = (await git(['write-tree'])).toString().trim();
  const { name, email } = edit.author;
  const commit = await git(['commit-tree', tree, '-p', head, '-F', '-'], {
    input: `${edit.message.trim()}\n${edit.job === undefined ? '' : `\n${jobTrailer}: ${edit.job}\n`}`,
    env: { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
  });
  return commit.toString().trim();
}

/** False when the branch is not where it was (or, for a proposal, is there already): nothing is written then. */
async function push(
  git: Git,
  { url }: PromptRepository,
  { commit, branch, expected }: { commit: string; branch: string; expected: string },
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  try {
    await git([
      'push',
      '--quiet',
      '--porcelain',
      `--force-with-lease=${ref}:${expected}`,
      '--',
      url,
      `${commit}:${ref}`,
    ]);
    return true;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    const now = await headOf(git, url, ref);
    if (now !== expected) return false;
    throw problems.branchProtected(branch);
  }
}

async function headOf(git: Git, url: string, ref: string): Promise<string> {
  const list = await bestEffort('the caller is told that it is away', git(['ls-remote', '--', url, ref]));
  if (!list) throw problems.unavailable('The repository of the agents');
  return list.toString().split('\t')[0] ?? '';
}
