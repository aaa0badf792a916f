import { expect, test } from 'vitest';
import { gitEnvironment } from './access.ts';

const access = { url: 'https://git.example.com/agents.git', tokenUser: 'x-access-token' };

test('a token travels in a header for its own host only, and git sees nothing else of our environment', () => {
  const env = { PATH: '/bin', AGENTS_TOKEN: 'hidden-token', PARLEY_MASTER_KEYS: 'k1:x', GIT_SSH_COMMAND: 'evil' };
  const git = gitEnvironment({ ...access, tokenEnv: 'AGENTS_TOKEN' }, { home: '/nowhere', env });
  const values = Object.entries(git);
  expect(values.some(([, value]) => value === 'http.https://git.example.com/.extraHeader')).toBe(true);
  const basic = Buffer.from('x-access-token:hidden-token').toString('base64');
  expect(values.filter(([, value]) => value === `Authorization: Basic ${basic}`)).toHaveLength(1);
  expect(git).toMatchObject({ GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'https', GIT_CONFIG_GLOBAL: '/dev/null' });
  expect(git).not.toHaveProperty('PARLEY_MASTER_KEYS');
  expect(git).not.toHaveProperty('GIT_SSH_COMMAND');
  expect(() => gitEnvironment({ ...access, tokenEnv: 'MISSING' }, { home: '/', env })).toThrow(/MISSING is empty/);
});

test('ssh asks nobody, uses the given key alone and knows no other hosts than the given ones', () => {
  const ssh = { ...access, url: 'git@git.example.com:a.git', sshKeyFile: '/k/key', sshKnownHostsFile: '/k/hosts' };
  const { GIT_SSH_COMMAND } = gitEnvironment(ssh, { home: '/', env: {} });
  expect(GIT_SSH_COMMAND).toMatch(
    /BatchMode=yes.*StrictHostKeyChecking=yes.*-i \/k\/key.*UserKnownHostsFile=\/k\/hosts/,
  );
});
