import { aWholeNumber, type EnvironmentReader } from '../../core/environment.ts';
import { nameOfFilled, readAgentsBranch } from '../../core/git/branch-config.ts';
import type { GitSourceSettings } from './git-source.ts';

export interface GitSettings {
  /** Undefined where agents do not come from a repository. */
  source: GitSourceSettings | undefined;
  pushSecret: string | undefined;
}

/** Reads the variables PARLEY_AGENTS_GIT_…; faults go to `env`. */
export function readGitSettings(
  env: EnvironmentReader,
  variables: Readonly<Record<string, string | undefined>>,
  mode: 'development' | 'production',
): GitSettings {
  const branch = readAgentsBranch(env, variables, mode);
  if (!branch) return { source: undefined, pushSecret: undefined };
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
  };
}
