import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const complete = {
  PARLEY_DATABASE_URL: 'postgres://parley_service:x@localhost/parley',
  LIVEKIT_URL: 'ws://localhost:7880',
  LIVEKIT_API_KEY: 'key',
  LIVEKIT_API_SECRET: 'secret',
  PARLEY_MASTER_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
};

test('what is left out has its documented default', () => {
  expect(readConfig(complete)).toMatchObject({
    environment: 'production',
    agentsFolder: undefined,
    agentsGit: undefined,
    pushSecret: undefined,
    policiesFolder: undefined,
    tenant: 'local',
    bind: '127.0.0.1',
    internalPort: 7803,
    retryScale: 1,
  });
});

test('all faults are reported together, each with its variable', () => {
  const faulty = { ...complete, PARLEY_DATABASE_URL: 'mysql://x', LIVEKIT_URL: '', PARLEY_MASTER_KEYS: 'k1:short' };
  expect(() => readConfig({ ...faulty, PARLEY_INTERNAL_PORT: '99999', PARLEY_RETRY_SCALE: '2' })).toThrow(
    /PARLEY_DATABASE_URL[\s\S]*LIVEKIT_URL is missing[\s\S]*PARLEY_INTERNAL_PORT[\s\S]*PARLEY_MASTER_KEYS[\s\S]*PARLEY_RETRY_SCALE/,
  );
});

test('a repository of agents has defaults, and its secrets are named, not given', () => {
  const given = {
    ...complete,
    PARLEY_AGENTS_GIT_URL: 'https://git.example.com/team/agents.git',
    PARLEY_AGENTS_GIT_PUSH_SECRET_ENV: 'HOOK_SECRET',
    HOOK_SECRET: 'shared',
  };
  const { agentsGit, pushSecret } = readConfig(given);
  expect(agentsGit).toMatchObject({ branch: 'main', path: 'agents', pollMs: 5_000, tokenEnv: undefined });
  expect(pushSecret).toBe('shared');
});

test.each([
  ['https://user:token@git.example.com/agents.git', /GIT_URL/],
  ['http://git.example.com/agents.git', /GIT_URL/],
  ['ext::sh -c whoami', /GIT_URL/],
  ['--upload-pack=whoami', /GIT_URL/],
  ['relative/path', /GIT_URL/],
])('%s is no address of a repository in production', (url, fault) => {
  expect(() => readConfig({ ...complete, PARLEY_AGENTS_GIT_URL: url })).toThrow(fault);
});

test('a branch, path, key or token that git could misread is a fault, and so are two sources', () => {
  const faulty = {
    ...complete,
    PARLEY_AGENTS_DIR: '/agents',
    PARLEY_AGENTS_GIT_URL: 'git@git.example.com:team/agents.git',
    PARLEY_AGENTS_GIT_BRANCH: '--exec',
    PARLEY_AGENTS_GIT_PATH: 'agents/../..',
    PARLEY_AGENTS_GIT_SSH_KEY_FILE: '/keys/a;whoami',
    PARLEY_AGENTS_GIT_TOKEN_ENV: 'NOT_SET',
  };
  expect(() => readConfig(faulty)).toThrow(
    /_BRANCH[\s\S]*_PATH[\s\S]*_TOKEN_ENV[\s\S]*_SSH_KEY_FILE[\s\S]*PARLEY_AGENTS_DIR and PARLEY_AGENTS_GIT_URL/,
  );
});

test('a commit status needs its host and a token, and has a name of the tenant', () => {
  const git = {
    ...complete,
    PARLEY_AGENTS_GIT_URL: 'https://git.example.com/team/agents.git',
    PARLEY_AGENTS_GIT_STATUS_URL: 'https://git.example.com/api/v4/projects/7',
  };
  expect(() => readConfig(git)).toThrow(/_STATUS_HOST is missing[\s\S]*_STATUS_TOKEN_ENV is missing/);
  const given = {
    ...git,
    PARLEY_AGENTS_GIT_STATUS_HOST: 'gitlab',
    PARLEY_AGENTS_GIT_STATUS_TOKEN_ENV: 'TOKEN',
    TOKEN: 'x',
  };
  expect(readConfig({ ...given, PARLEY_TENANT: 'acme' }).commitStatus).toEqual({
    host: 'gitlab',
    url: 'https://git.example.com/api/v4/projects/7',
    tokenEnv: 'TOKEN',
    context: 'parley/acme',
  });
  for (const url of ['http://git.example.com/api', 'https://user:word@git.example.com/api', 'git.example.com'])
    expect(() => readConfig({ ...given, PARLEY_AGENTS_GIT_STATUS_URL: url })).toThrow(/_STATUS_URL/);
});

test.each([
  ['/agents/policies', true],
  ['/agents', true],
  ['/agents/../policies', false],
  ['/agents-policies', false],
])('policies are code, so they are no part of what authors write: %s', (folder, refused) => {
  const read = () => readConfig({ ...complete, PARLEY_AGENTS_DIR: '/agents', PARLEY_POLICIES: folder });
  if (refused) expect(read).toThrow(/PARLEY_POLICIES lies in PARLEY_AGENTS_DIR/);
  else expect(read().policiesFolder).toBe(folder);
});
