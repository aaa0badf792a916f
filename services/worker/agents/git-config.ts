import { aText, aWholeNumber, type EnvironmentReader } from '../../core/environment.ts';
import { isBranchName, isPlainPath, isRepositoryPath, protocolOf } from './git-access.ts';
import type { GitSourceSettings } from './git-source.ts';

export interface GitSettings {
  /** Undefined where agents do not come from a repository. */
  source: GitSourceSettings | undefined;
  pushSecret: string | undefined;
}

/** Reads the variables PARLEY_AGENTS_GIT_…; secrets are named by the variable that holds them. Faults go to `env`. */
export function readGitSettings(
  env: EnvironmentReader,
  variables: Readonly<Record<string, string | undefined>>,
  mode: 'development' | 'production',
): GitSettings {
  if (!variables.PARLEY_AGENTS_GIT_URL) return { source: undefined, pushSecret: undefined };
  const filled = (name: string) => (variables[name]?.trim() ? name : undefined);
  const path = (text: string) => (isPlainPath(text) ? text : undefined);
  const secretEnv = env.optional(
    'PARLEY_AGENTS_GIT_PUSH_SECRET_ENV',
    undefined,
    'the name of a variable that holds the secret of push events',
    filled,
  );
  const source: GitSourceSettings = {
    url: env.required(
      'PARLEY_AGENTS_GIT_URL',
      'https://…, ssh://…, user@host:path or an absolute path, without a password in it',
      (text) => {
        const protocol = protocolOf(text);
        return protocol === undefined || (protocol === 'http' && mode === 'production') ? undefined : text;
      },
    ),
    branch: env.optional('PARLEY_AGENTS_GIT_BRANCH', 'main', "a branch's name", (text) =>
      isBranchName(text) ? text : undefined,
    ),
    path: env.optional(
      'PARLEY_AGENTS_GIT_PATH',
      'agents',
      'a folder of the repository such as agents, or "."',
      (text) => {
        const trimmed = text.replace(/\/$/, '');
        return isRepositoryPath(trimmed) ? trimmed : undefined;
      },
    ),
    pollMs: 1000 * env.optional('PARLEY_AGENTS_GIT_POLL_SECONDS', 5, '1 to 3600', aWholeNumber(1, 3600)),
    tokenEnv: env.optional(
      'PARLEY_AGENTS_GIT_TOKEN_ENV',
      undefined,
      'the name of a variable that holds a token for the repository',
      filled,
    ),
    tokenUser: env.optional(
      'PARLEY_AGENTS_GIT_TOKEN_USER',
      'x-access-token',
      'the name that goes with the token',
      aText,
    ),
    sshKeyFile: env.optional(
      'PARLEY_AGENTS_GIT_SSH_KEY_FILE',
      undefined,
      'the absolute path of a private key, of letters, digits and ./_-',
      path,
    ),
    sshKnownHostsFile: env.optional(
      'PARLEY_AGENTS_GIT_SSH_KNOWN_HOSTS_FILE',
      undefined,
      'the absolute path of a known_hosts file, of letters, digits and ./_-',
      path,
    ),
  };
  return { source, pushSecret: secretEnv === undefined ? undefined : variables[secretEnv]?.trim() };
}
