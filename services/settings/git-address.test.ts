import { expect, test } from 'vitest';
import { isBranchName, isRepositoryPath, protocolOf } from './git-address.ts';

test.each([
  ['https://git.example.com/team/agents.git', 'https'],
  ['http://127.0.0.1:3000/agents.git', 'http'],
  ['ssh://git@git.example.com:2222/agents.git', 'ssh'],
  ['git@git.example.com:team/agents.git', 'ssh'],
  ['/srv/agents.git', 'file'],
  ['https://token@git.example.com/agents.git', undefined],
  ['https://user:token@git.example.com/agents.git', undefined],
  ['ssh://-oProxyCommand=whoami/x', undefined],
  ['ext::sh -c whoami', undefined],
  ['git://git.example.com/agents.git', undefined],
  ['-u', undefined],
])('%s is read over %s', (url, protocol) => {
  expect(protocolOf(url)).toBe(protocol);
});

test('branches and paths that git would misread are refused', () => {
  expect(['main', 'release/2026-11', 'a.b'].filter(isBranchName)).toHaveLength(3);
  expect(['', '-x', 'a..b', 'a b', 'a:b', 'a/', 'x.lock', '/a', 'a/.b'].filter(isBranchName)).toEqual([]);
  expect(['.', 'agents', 'teams/eu/agents'].filter(isRepositoryPath)).toHaveLength(3);
  expect(['', '..', 'a/../b', '/a', 'a//b', './a', '-a', 'a:b'].filter(isRepositoryPath)).toEqual([]);
});
