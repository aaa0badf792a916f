import { expect, test } from 'vitest';
import { proposalLink, writingToFolder, writingToGit } from './writing.ts';

test.each([
  ['https://git.example.com/a.git', undefined, 'proposals', 'read_only'],
  ['https://git.example.com/a.git', 'TOKEN', 'proposals', 'proposal'],
  ['https://git.example.com/a.git', 'TOKEN', 'direct', 'direct'],
  ['https://git.example.com/a.git', undefined, 'direct', 'read_only'],
  ['git@git.example.com:a.git', 'TOKEN', 'direct', 'read_only'],
  ['/srv/agents.git', undefined, 'proposals', 'proposal'],
] as const)('%s with the token %s and %s: %s', (url, writeTokenEnv, writes, writing) => {
  const told = writingToGit({ url, writeTokenEnv, writes });
  expect(told.writing).toBe(writing);
  if (writing === 'read_only') expect(told.how).toContain('agents.writeToken');
});

test('a folder is written on a developer’s machine only', () => {
  expect(writingToFolder('development').writing).toBe('file');
  expect(writingToFolder('production')).toMatchObject({
    writing: 'read_only',
    how: expect.stringContaining('agents.repository'),
  });
});

test.each([
  [
    'https://github.com/team/agents.git',
    undefined,
    'https://github.com/team/agents/compare/main...parley/desk-1?expand=1',
  ],
  ['git@github.com:team/agents.git', undefined, 'https://github.com/team/agents/compare/main...parley/desk-1?expand=1'],
  [
    'ssh://git@git.example.com:2222/team/agents',
    'gitea',
    'https://git.example.com/team/agents/compare/main...parley/desk-1',
  ],
  [
    'https://gitlab.example.com/team/agents',
    undefined,
    'https://gitlab.example.com/team/agents/-/merge_requests/new?merge_request%5Bsource_branch%5D=parley%2Fdesk-1&merge_request%5Btarget_branch%5D=main',
  ],
  ['https://git.example.com/team/agents', undefined, null],
  ['/srv/agents.git', 'github', null],
] as const)('the proposal in %s (%s) is opened at %s', (url, host, link) => {
  expect(proposalLink({ url, host, base: 'main' }, 'parley/desk-1')).toBe(link);
});
