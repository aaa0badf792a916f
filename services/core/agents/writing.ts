/** What people may have written to the source of agents, and what to do to have more of it. Pure. */
import { protocolOf } from '../../settings/git-address.ts';
import { settings } from '../../settings/settings.ts';
import type { AgentSourceRow } from '../../store/tables/agent-sources.ts';

export interface GitWriting {
  url: string;
  /** The variable that holds a token which may push. */
  writeTokenEnv?: string | undefined;
  /** Whether the branch itself may be written to, or, without it, proposals only. */
  writes?: 'proposals' | 'direct' | undefined;
}

type ShownWriting = Pick<AgentSourceRow, 'writing' | 'how'>;

const token = `agents.writeToken of the stack (${settings.repository.settings.writeTokenEnv.name} of the worker)`;

export function writingToGit({ url, writeTokenEnv, writes }: GitWriting): ShownWriting {
  const protocol = protocolOf(url);
  if (protocol === 'ssh')
    return readOnly(
      `The repository is reached by ssh with a key that only reads: give its https address, and ${token}.`,
    );
  // A path of this machine asks for no token: what the worker may write there is the file system's to say.
  if (protocol !== 'file' && writeTokenEnv === undefined)
    return readOnly(`The worker has no token that may write to the repository: name one in ${token}.`);
  if (writes === 'direct') return { writing: 'direct', how: null };
  return {
    writing: 'proposal',
    how: 'Changes become proposals; agents.directWrites: true allows direct commits, too.',
  };
}

export function writingToFolder(environment: 'development' | 'production'): ShownWriting {
  if (environment === 'development') return { writing: 'file', how: null };
  return readOnly(
    `Agents come from a folder of the deployment, which nobody writes to: give agents.repository, and ${token}.`,
  );
}

const readOnly = (how: string): ShownWriting => ({ writing: 'read_only', how });

/** Where a proposal is opened at its Git host; null where the host is not known. */
export function proposalLink(
  { url, base, host }: { url: string; base: string; host?: 'github' | 'gitlab' | 'gitea' | undefined },
  branch: string,
): string | null {
  const page = pageOf(url);
  const kind = host ?? (page && kindOf(new URL(page).hostname));
  if (!page || !kind) return null;
  const [from, to] = [encodeURIComponent(branch), encodeURIComponent(base)];
  if (kind === 'gitlab')
    return `${page}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${from}&merge_request%5Btarget_branch%5D=${to}`;
  // Both take a branch with slashes as it is.
  return `${page}/compare/${encodeURI(base)}...${encodeURI(branch)}${kind === 'github' ? '?expand=1' : ''}`;
}

/** The repository's page in a browser. */
function pageOf(url: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?::\d+\/|[:/])(.+)$/.exec(url);
  if (!ssh && !/^https?:\/\//.test(url)) return undefined;
  return (ssh ? `https://${ssh[1]}/${ssh[2]}` : url).replace(/\/$/, '').replace(/\.git$/, '');
}

function kindOf(hostname: string): 'github' | 'gitlab' | 'gitea' | undefined {
  if (/(^|\.)github\./.test(hostname)) return 'github';
  if (/(^|\.)gitlab\./.test(hostname)) return 'gitlab';
  return /(^|\.)(gitea|forgejo|codeberg)\./.test(hostname) ? 'gitea' : undefined;
}
