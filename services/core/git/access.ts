/** How git reaches the repository: which protocols, with which key or token, and nothing of the machine's own settings. */
import { type Protocol, protocolOf } from '../../settings/git-address.ts';
import { GitError } from './run-git.ts';

export interface GitAccess {
  /** https://…, ssh://…, user@host:path, or a path of this machine; never with a password in it. */
  url: string;
  /** The variable that holds a token for https; its value is on no command line and in no log. */
  tokenEnv?: string | undefined;
  /** The name that goes with the token. */
  tokenUser: string;
  /** A private key for ssh, and the file that says which hosts are known: an unknown one is refused. */
  sshKeyFile?: string | undefined;
  sshKnownHostsFile?: string | undefined;
}

/** Where agents live: a folder of a branch. */
export interface AgentsBranch extends GitAccess {
  branch: string;
  /** The folder in the repository; `.` is the repository itself. */
  path: string;
}

/** Told to people and stored: an address is refused when it has a credential in it. */
export const sourceOf = ({ url, branch, path }: AgentsBranch): string => `${url} ${branch}:${path}`;

/** All of git's environment. @throws GitError when the token's variable is empty */
export function gitEnvironment(
  access: GitAccess,
  { home, env }: { home: string; env: Readonly<Record<string, string | undefined>> },
): Record<string, string> {
  const protocol = protocolOf(access.url) ?? 'https';
  const settings: [string, string][] = [
    ['core.hooksPath', '/dev/null'],
    ['credential.helper', ''],
    ['gc.auto', '0'],
    ['maintenance.auto', 'false'],
    // A redirect would take the token to another place.
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '10'],
    ...authorization(access, protocol, env),
  ];
  return {
    PATH: env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_OPTIONAL_LOCKS: '0',
    ...(protocol === 'ssh' && { GIT_SSH_COMMAND: sshCommand(access) }),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

function authorization(
  { tokenEnv, tokenUser, url }: GitAccess,
  protocol: Protocol,
  env: Readonly<Record<string, string | undefined>>,
): [string, string][] {
  if (tokenEnv === undefined || (protocol !== 'https' && protocol !== 'http')) return [];
  const token = env[tokenEnv]?.trim();
  if (!token) throw new GitError(`${tokenEnv} is empty: it should hold the token for the repository of the agents`);
  const basic = Buffer.from(`${tokenUser}:${token}`).toString('base64');
  return [[`http.${new URL(url).origin}/.extraHeader`, `Authorization: Basic ${basic}`]];
}

function sshCommand({ sshKeyFile, sshKnownHostsFile }: GitAccess): string {
  return [
    'ssh',
    '-F /dev/null',
    '-o BatchMode=yes',
    '-o ConnectTimeout=10',
    '-o StrictHostKeyChecking=yes',
    ...(sshKeyFile ? [`-i ${sshKeyFile}`, '-o IdentitiesOnly=yes'] : []),
    ...(sshKnownHostsFile ? [`-o UserKnownHostsFile=${sshKnownHostsFile}`] : []),
  ].join(' ');
}
