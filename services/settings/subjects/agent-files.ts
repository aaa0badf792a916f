import { anAddress, aText, aWholeNumber, oneOf } from '../../process/environment.ts';
import type { Variables } from '../../process/variables.ts';
import { nameOfFilled } from '../forms.ts';
import { isBranchName, isPlainPath, isRepositoryPath, protocolOf } from '../git-address.ts';
import { groupWith, optional, required, setting } from '../setting.ts';
import { everyProcess } from './every-process.ts';

const isDevelopment = (variables: Variables) => variables[everyProcess.environment.name] === 'development';

const aRepository = (text: string, variables: Variables) => {
  const protocol = protocolOf(text);
  return protocol === undefined || (protocol === 'http' && !isDevelopment(variables)) ? undefined : text;
};

const aFolderOfIt = (text: string) => {
  const trimmed = text.replace(/\/$/, '');
  return isRepositoryPath(trimmed) ? trimmed : undefined;
};

const aPlainPath = (text: string) => (isPlainPath(text) ? text : undefined);

const anApiAddress = (text: string, variables: Variables) =>
  new URL(text).username === ''
    ? anAddress(...(isDevelopment(variables) ? ['https:', 'http:'] : ['https:']))(text)
    : undefined;

/** Where agents, and the rules over them, come from. */
export const agentFiles = {
  agentsFolder: setting({
    name: 'PARLEY_AGENTS_DIR',
    readBy: { worker: optional, start: 'agents' },
    holds: 'the folder of the agents',
    parse: aText,
    otherwise: 'from a repository, or agents are left alone',
    says: 'The folder that agents are read from and watched in.',
  }),
  policiesFolder: setting({
    name: 'PARLEY_POLICIES',
    readBy: { worker: optional, commands: optional },
    holds: "the folder of the operator's own policies",
    parse: aText,
    otherwise: 'no rules of your own',
    says: 'Rules over agents that are code, which authors must not change; read when the worker starts.',
  }),
  repository: groupWith('url', {
    url: setting({
      name: 'PARLEY_AGENTS_GIT_URL',
      readBy: { worker: required, start: optional },
      holds: 'https://…, ssh://…, user@host:path or an absolute path, without a password in it',
      parse: aRepository,
      otherwise: 'from a folder, or agents are left alone',
      says: 'The repository that agents are read from.',
    }),
    branch: setting({
      name: 'PARLEY_AGENTS_GIT_BRANCH',
      readBy: { worker: 'main' },
      holds: "a branch's name",
      parse: (text) => (isBranchName(text) ? text : undefined),
      says: 'The branch whose head is live.',
    }),
    path: setting({
      name: 'PARLEY_AGENTS_GIT_PATH',
      readBy: { worker: 'agents' },
      holds: 'a folder of the repository such as agents, or "."',
      parse: aFolderOfIt,
      says: 'The folder of the agents in it; `.` is the repository itself.',
    }),
    tokenEnv: setting({
      name: 'PARLEY_AGENTS_GIT_TOKEN_ENV',
      readBy: { worker: optional },
      holds: 'the name of a variable that holds a token for the repository',
      parse: nameOfFilled,
      namesSecret: true,
      otherwise: 'no token',
      says: 'Which variable holds a token, for https.',
    }),
    writeTokenEnv: setting({
      name: 'PARLEY_AGENTS_GIT_WRITE_TOKEN_ENV',
      readBy: { worker: optional },
      holds: 'the name of a variable that holds a token which may push to the repository',
      parse: nameOfFilled,
      namesSecret: true,
      otherwise: 'people change nothing from the dashboard',
      says: 'Which variable holds a token that may push branches, for https: with it the account API takes changes of prompts and webhooks.',
    }),
    writes: setting({
      name: 'PARLEY_AGENTS_GIT_WRITES',
      readBy: { worker: 'proposals' },
      holds: 'proposals or direct',
      parse: oneOf('proposals', 'direct'),
      says: 'Whether such changes are proposed on branches of their own, or may go to the branch itself, too.',
    }),
    tokenUser: setting({
      name: 'PARLEY_AGENTS_GIT_TOKEN_USER',
      readBy: { worker: 'x-access-token' },
      holds: 'the name that goes with the token',
      parse: aText,
      says: 'The name that goes with the token.',
    }),
    sshKeyFile: setting({
      name: 'PARLEY_AGENTS_GIT_SSH_KEY_FILE',
      readBy: { worker: optional },
      holds: 'the absolute path of a private key, of letters, digits and ./_-',
      parse: aPlainPath,
      otherwise: 'no key',
      says: 'The private key, for ssh.',
    }),
    sshKnownHostsFile: setting({
      name: 'PARLEY_AGENTS_GIT_SSH_KNOWN_HOSTS_FILE',
      readBy: { worker: optional },
      holds: 'the absolute path of a known_hosts file, of letters, digits and ./_-',
      parse: aPlainPath,
      otherwise: 'every host is unknown',
      says: 'Which hosts are known, for ssh; an unknown one is refused.',
    }),
    pollSeconds: setting({
      name: 'PARLEY_AGENTS_GIT_POLL_SECONDS',
      readBy: { worker: 5 },
      holds: '1 to 3600',
      parse: aWholeNumber(1, 3600),
      says: 'How often, in seconds, the branch is looked at.',
    }),
    pushSecretEnv: setting({
      name: 'PARLEY_AGENTS_GIT_PUSH_SECRET_ENV',
      readBy: { worker: optional },
      holds: 'the name of a variable that holds the secret of push events',
      parse: nameOfFilled,
      namesSecret: true,
      otherwise: 'push events are not taken',
      says: 'Which variable holds the secret that the Git host signs its push events with.',
    }),
    status: groupWith('url', {
      url: setting({
        name: 'PARLEY_AGENTS_GIT_STATUS_URL',
        readBy: { worker: required },
        holds: "the repository's address in the API of its host, such as https://api.github.com/repos/team/agents",
        parse: anApiAddress,
        otherwise: 'the Git host is not told',
        says: 'The repository in the API of its Git host, which is told what came of each commit.',
      }),
      host: setting({
        name: 'PARLEY_AGENTS_GIT_STATUS_HOST',
        readBy: { worker: required },
        holds: 'github, gitlab or gitea (Forgejo too)',
        parse: oneOf('github', 'gitlab', 'gitea'),
        says: 'Whose API that is.',
      }),
      tokenEnv: setting({
        name: 'PARLEY_AGENTS_GIT_STATUS_TOKEN_ENV',
        readBy: { worker: required },
        holds: 'the name of a variable that holds a token which may write commit statuses',
        parse: nameOfFilled,
        namesSecret: true,
        says: 'Which variable holds a token that may write commit statuses.',
      }),
      context: setting({
        name: 'PARLEY_AGENTS_GIT_STATUS_CONTEXT',
        readBy: { worker: optional },
        holds: "the status's name",
        parse: aText,
        otherwise: '`parley/<tenant>`',
        says: 'Tells the statuses of several installations apart.',
      }),
    }),
  }),
};
