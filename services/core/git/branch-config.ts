import { aText, type EnvironmentReader } from '../../process/environment.ts';
import { type AgentsBranch, isBranchName, isPlainPath, isRepositoryPath, protocolOf } from './access.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The name of a variable, where that one is set: secrets are named by the variable that holds them. */
export const nameOfFilled = (variables: Variables) => (name: string) => (variables[name]?.trim() ? name : undefined);

/** The variables PARLEY_AGENTS_GIT_… that say where the agents live; undefined where they live in no repository. Faults go to `env`. */
export function readAgentsBranch(
  env: EnvironmentReader,
  variables: Variables,
  mode: 'development' | 'production',
): AgentsBranch | undefined {
  if (!variables.PARLEY_AGENTS_GIT_URL) return undefined;
  const plainPath = (text: string) => (isPlainPath(text) ? text : undefined);
  return {
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
    tokenEnv: env.optional(
      'PARLEY_AGENTS_GIT_TOKEN_ENV',
      undefined,
      'the name of a variable that holds a token for the repository',
      nameOfFilled(variables),
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
      plainPath,
    ),
    sshKnownHostsFile: env.optional(
      'PARLEY_AGENTS_GIT_SSH_KNOWN_HOSTS_FILE',
      undefined,
      'the absolute path of a known_hosts file, of letters, digits and ./_-',
      plainPath,
    ),
  };
}
