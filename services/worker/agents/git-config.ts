import { nameOfFilled, readAgentsBranch } from '../../core/git/branch-config.ts';
import type { CommitStatusSettings } from '../../core/git/commit-status.ts';
import { anAddress, aText, aWholeNumber, type EnvironmentReader, oneOf } from '../../process/environment.ts';
import type { GitSourceSettings } from './git-source.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface GitSettings {
  /** Undefined where agents do not come from a repository. */
  source: GitSourceSettings | undefined;
  pushSecret: string | undefined;
  commitStatus: CommitStatusSettings | undefined;
}

interface Installation {
  mode: 'development' | 'production';
  /** The tenant's slug. */
  tenant: string;
}

/** Reads the variables PARLEY_AGENTS_GIT_…; faults go to `env`. */
export function readGitSettings(env: EnvironmentReader, variables: Variables, installation: Installation): GitSettings {
  const branch = readAgentsBranch(env, variables, installation.mode);
  if (!branch) return { source: undefined, pushSecret: undefined, commitStatus: undefined };
  const pollMs = 1000 * env.optional('PARLEY_AGENTS_GIT_POLL_SECONDS', 5, '1 to 3600', aWholeNumber(1, 3600));
  const secretEnv = env.optional(
    'PARLEY_AGENTS_GIT_PUSH_SECRET_ENV',
    undefined,
    'the name of a variable that holds the secret of push events',
    nameOfFilled(variables),
  );
  return {
    source: { ...branch, pollMs },
    pushSecret: secretEnv === undefined ? undefined : variables[secretEnv]?.trim(),
    commitStatus: readCommitStatus(env, variables, installation),
  };
}

function readCommitStatus(
  env: EnvironmentReader,
  variables: Variables,
  { mode, tenant }: Installation,
): CommitStatusSettings | undefined {
  if (!variables.PARLEY_AGENTS_GIT_STATUS_URL) return undefined;
  const protocols = mode === 'development' ? ['https:', 'http:'] : ['https:'];
  return {
    url: env.required(
      'PARLEY_AGENTS_GIT_STATUS_URL',
      "the repository's address in the API of its host, such as https://api.github.com/repos/team/agents",
      (text) => (new URL(text).username === '' ? anAddress(...protocols)(text) : undefined),
    ),
    host: env.required(
      'PARLEY_AGENTS_GIT_STATUS_HOST',
      'github, gitlab or gitea (Forgejo too)',
      oneOf('github', 'gitlab', 'gitea'),
    ),
    tokenEnv: env.required(
      'PARLEY_AGENTS_GIT_STATUS_TOKEN_ENV',
      'the name of a variable that holds a token which may write commit statuses',
      nameOfFilled(variables),
    ),
    context: env.optional('PARLEY_AGENTS_GIT_STATUS_CONTEXT', `parley/${tenant}`, "the status's name", aText),
  };
}
