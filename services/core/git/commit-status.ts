/** A commit's status at its Git host, as the APIs of GitHub, GitLab and Gitea (Forgejo too) take it. */
import { type GuardedFetch, GuardedFetchError } from '../../process/outbound/guarded-fetch.ts';

export type GitHost = 'github' | 'gitlab' | 'gitea';

export interface CommitStatusSettings {
  host: GitHost;
  /** The repository in the host's API, such as https://api.github.com/repos/team/agents. */
  url: string;
  /** The variable that holds a token which may write statuses. */
  tokenEnv: string;
  /** Tells the statuses of several installations apart. */
  context: string;
}

export interface CommitStatus {
  commit: string;
  isGood: boolean;
  description: string;
}

/** `again`: what is wrong may pass. `refused`: the same request would be refused again. */
export interface StatusAttempt {
  result: 'posted' | 'again' | 'refused';
  /** One sentence, without the token; null when it was posted. */
  error: string | null;
}

interface StatusDeps {
  guardedFetch: GuardedFetch;
  /** Development only. */
  allowLoopback: boolean;
}

const timeoutMs = 10_000;
const maxAnswerBytes = 16 * 1024;
/** GitHub's limit, the smallest of the three. */
const longestDescription = 140;
const longestExcerpt = 200;

/** One attempt; whatever goes wrong is a result. */
export async function postStatus(
  { guardedFetch, allowLoopback }: StatusDeps,
  settings: CommitStatusSettings,
  { token, status }: { token: string; status: CommitStatus },
): Promise<StatusAttempt> {
  try {
    const answer = await guardedFetch(`${settings.url.replace(/\/+$/, '')}/statuses/${status.commit}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Parley',
        ...authorization(settings.host, token),
      },
      body: JSON.stringify(bodyFor(settings, status)),
      timeoutMs,
      maxBytes: maxAnswerBytes,
      allowLoopback,
      // No author chooses this address: a Git host is often inside.
      allowInside: true,
    });
    return judge(answer.status, excerptOf(answer.body).replaceAll(token, '…'));
  } catch (error) {
    if (!(error instanceof GuardedFetchError)) throw error;
    return { result: 'again', error: `The Git host could not be reached: ${error.message}` };
  }
}

function authorization(host: GitHost, token: string): Record<string, string> {
  switch (host) {
    case 'github':
      return {
        authorization: `Bearer ${token}`,
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
      };
    case 'gitlab':
      return { 'private-token': token };
    case 'gitea':
      return { authorization: `token ${token}` };
  }
}

function bodyFor({ host, context }: CommitStatusSettings, { isGood, description }: CommitStatus) {
  const bad = host === 'gitlab' ? 'failed' : 'failure';
  const short =
    description.length > longestDescription ? `${description.slice(0, longestDescription - 1)}…` : description;
  return { state: isGood ? 'success' : bad, context, description: short };
}

/** A redirect is not followed, as it would take the token along. */
function judge(status: number, excerpt: string): StatusAttempt {
  if (status >= 200 && status < 300) return { result: 'posted', error: null };
  const said = excerpt === '' ? '.' : `: ${excerpt}`;
  if (status >= 300 && status < 400)
    return { result: 'refused', error: `The Git host answered ${status}; redirects are not followed.` };
  // 401, 403 and 404 are what a token without the right gets: a person may mend that meanwhile.
  const isFinal = [400, 410, 413, 422].includes(status);
  return { result: isFinal ? 'refused' : 'again', error: `The Git host answered ${status}${said}` };
}

/** What the host's JSON says in words; its other answers are pages that nobody reads. */
function excerptOf(body: Buffer): string {
  try {
    const { message, error } = JSON.parse(body.toString('utf8')) as { message?: unknown; error?: unknown };
    const said = message ?? error;
    const text = typeof said === 'string' ? said : said === undefined ? '' : JSON.stringify(said);
    return text.replaceAll(/\p{C}+/gu, ' ').slice(0, longestExcerpt);
  } catch {
    return '';
  }
}
