/** How a person's change gets into an agent's file: as a commit, or on this machine. */
import { createHash } from 'node:crypto';
import { mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CheckOptions } from '../../agent-files/check-files.ts';
import { readAgentTexts } from '../../agent-files/load.ts';
import { Problem, problems } from '../../contract/problems.ts';
import type { AgentChangeRow } from '../../store/tables/agent-changes.ts';
import { changedFile, fileOf, type Wanted } from './change-file.ts';
import { type AgentEdit, type CommittedEdit, editAgent, findCommitOfJob, type PromptRepository } from './edit-agent.ts';
import { proposalLink } from './writing.ts';

export interface WrittenChange {
  /** Null for a folder, as is the branch. */
  commit: string | null;
  branch: string | null;
  fileId: string;
  fellBack: boolean;
  /** Null where it is no proposal, or the Git host is not known. */
  link: string | null;
}

/** What is asked for, with everything that is to be written. */
export type FullChange = Omit<AgentChangeRow, 'wanted'> & { wanted: Wanted };

/** Writes a change, once however often it is begun. @throws Problem */
export type Writer = (change: FullChange, options: CheckOptions) => Promise<WrittenChange>;

export interface GitWriterOptions extends PromptRepository {
  host?: 'github' | 'gitlab' | 'gitea' | undefined;
}

/** To be found by nobody's mail: RFC 2606 keeps `.invalid` free. */
const noReplyDomain = 'people.parley.invalid';
const shownOfJob = 8;

export const gitWriter =
  (repository: GitWriterOptions): Writer =>
  async (change, options) => {
    const { id: job, agent, is_direct: isDirect } = change;
    const proposal = `parley/${agent}-${job.slice(0, shownOfJob)}`;
    const written = (done: Pick<CommittedEdit, 'commit' | 'branch' | 'fileId'>, fellBack = false): WrittenChange => ({
      ...{ commit: done.commit, branch: done.branch, fileId: done.fileId, fellBack },
      link: done.branch === proposal ? proposalLink({ ...repository, base: repository.branch }, proposal) : null,
    });
    const branches = isDirect ? [repository.branch, proposal] : [proposal];
    const earlier = change.attempts > 1 ? await findCommitOfJob(repository, { ...change, job, branches }) : undefined;
    if (earlier) return written(earlier, isDirect && earlier.branch === proposal);
    const edit = editOf(change);
    const propose = () => editAgent(repository, { ...edit, proposalBranch: proposal }, options);
    if (!isDirect) return written(await propose());
    try {
      return written(await editAgent(repository, edit, options));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'branch_protected') throw error;
      return written(await propose(), true);
    }
  };

const editOf = ({ id, agent, wanted, edited_file_id, author, person_id, message }: FullChange): AgentEdit => ({
  ...{ agent, wanted, message, job: id, editedFileId: edited_file_id === '' ? undefined : edited_file_id },
  author: { name: author, email: `${person_id}@${noReplyDomain}` },
});

/** Git's id of a file's content, in a repository of its usual kind. */
export const blobId = (text: string): string => {
  const bytes = Buffer.from(text);
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
};

export const folderWriter =
  (directory: string): Writer =>
  async ({ agent, wanted, edited_file_id, attempts, id }, options) => {
    const { texts } = await readAgentTexts(directory);
    const own = texts.get(`${agent}.yaml`);
    if (own === undefined) throw problems.agentNotFound(agent);
    const name = fileOf({ agent, wanted });
    const old = texts.get(name);
    const { text } = changedFile(texts, { agent, wanted }, options);
    // An earlier attempt has written it, and could not say so.
    const isDone = attempts > 1 && text === old;
    if (edited_file_id !== '' && blobId(own) !== edited_file_id && !isDone) throw problems.promptConflict(agent);
    if (text !== old) await replace(join(directory, name), text, id);
    return { commit: null, branch: null, fileId: blobId(text), fellBack: false, link: null };
  };

/** Whoever reads it meanwhile has the one file or the other, whole. */
async function replace(path: string, text: string, id: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const real = await realpath(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (real === undefined) return writeFile(path, text);
  const beside = join(dirname(real), `.${basename(real)}.${id}`);
  try {
    await writeFile(beside, text, { mode: (await stat(real)).mode });
    await rename(beside, real);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
