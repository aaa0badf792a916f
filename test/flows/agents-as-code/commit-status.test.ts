import { expect, onTestFinished, test } from 'vitest';
import { type CommitStatusSettings, type GitHost, postStatus } from '../../../services/core/git/commit-status.ts';
import { type GuardedFetch, guardedFetch } from '../../../services/process/outbound/guarded-fetch.ts';
import { GitHostApi } from '../../support/stand-ins/git-host.ts';

const commit = 'c0ffee'.padEnd(40, '0');
const hosts: GitHost[] = ['github', 'gitlab', 'gitea'];

async function start(host: GitHost): Promise<GitHostApi> {
  const api = await GitHostApi.start(host);
  onTestFinished(() => api[Symbol.asyncDispose]());
  return api;
}

interface Choices {
  token?: string;
  commit?: string;
  description?: string;
  isGood?: boolean;
  url?: string;
  /** Nobody waits for the real deadline. */
  timeoutMs?: number;
}

function post(api: GitHostApi, choices: Choices = {}) {
  const settings: CommitStatusSettings = {
    host: api.host,
    url: choices.url ?? api.url,
    tokenEnv: 'TOKEN',
    context: 'parley/local',
  };
  const fetch: GuardedFetch = (url, options) =>
    guardedFetch(url, { ...options, timeoutMs: choices.timeoutMs ?? options.timeoutMs });
  const { isGood = true, description = 'The agents are live.' } = choices;
  return postStatus({ guardedFetch: fetch, allowLoopback: true }, settings, {
    token: choices.token ?? api.token,
    status: { commit: choices.commit ?? commit, isGood, description },
  });
}

test.each(hosts)('%s takes what is good, what is bad, and a reason of any length', async (host) => {
  const api = await start(host);
  expect(await post(api)).toEqual({ result: 'posted', error: null });
  const reason = `desk.yaml:2:1 ${'Something is wrong here. '.repeat(20)}`;
  expect(await post(api, { isGood: false, description: reason, url: `${api.url}/` })).toMatchObject({
    result: 'posted',
  });
  expect(api.posted).toEqual([
    { commit, state: 'success', context: 'parley/local', description: 'The agents are live.' },
    {
      commit,
      state: host === 'gitlab' ? 'failed' : 'failure',
      context: 'parley/local',
      description: expect.any(String),
    },
  ]);
  expect(api.posted[1]?.description).toMatch(/^desk\.yaml:2:1 .*…$/);
});

test.each([
  ['github', /401: Bad credentials$/],
  ['gitlab', /401: 401 Unauthorized$/],
  ['gitea', /401: invalid username, password or token$/],
] as const)('a token that %s does not take is told of, is tried again, and is in no error', async (host, error) => {
  const api = await start(host);
  const attempt = await post(api, { token: 'a-secret-of-ours' });
  expect(attempt).toEqual({ result: 'again', error: expect.stringMatching(error) });
  expect(attempt.error).not.toContain('a-secret-of-ours');
});

test.each([
  ['github', 'refused', /422: No commit found for SHA/],
  ['gitlab', 'again', /404: 404 Commit Not Found/],
  ['gitea', 'again', /404: object does not exist/],
] as const)('a commit that %s does not know is %s', async (host, result, error) => {
  const api = await start(host);
  expect(await post(api, { commit: 'dead'.padEnd(40, '0') })).toEqual({ result, error: expect.stringMatching(error) });
});

test('a repository that is not there, or not for this token, is tried again for a while', async () => {
  const api = await start('github');
  const url = api.url.replace('team', 'other');
  expect(await post(api, { url })).toEqual({ result: 'again', error: 'The Git host answered 404: Not Found' });
});

test.each(hosts)('%s in trouble is tried again, and nothing it does is waited for without end', async (host) => {
  const api = await start(host);
  for (const status of [429, 500, 502, 503]) {
    api.trouble = { status };
    expect(await post(api)).toEqual({ result: 'again', error: `The Git host answered ${status}: this is ${status}` });
  }
  api.trouble = 'stalls';
  expect(await post(api, { timeoutMs: 100 })).toEqual({
    result: 'again',
    error: expect.stringMatching(/within 100 ms/),
  });
  api.trouble = 'talks without end';
  // It had taken the status before it began to talk.
  expect(await post(api)).toMatchObject({ result: 'posted' });
  await api[Symbol.asyncDispose]();
  expect(await post(api, { url: 'http://127.0.0.1:1/repos/team/agents' })).toMatchObject({
    result: 'again',
    error: expect.stringMatching(/could not be reached/),
  });
});

test('a redirect is not followed, as the token would go with it', async () => {
  const api = await start('github');
  api.trouble = 'redirects';
  expect(await post(api)).toEqual({
    result: 'refused',
    error: expect.stringMatching(/302; redirects are not followed/),
  });
  expect(api.asked).toBe(1);
});

test('in production a host in a private network is called, and by TLS only', async () => {
  const api = await start('gitea');
  const attempt = (url: string) => {
    const settings = { host: api.host, url, tokenEnv: 'TOKEN', context: 'x' };
    const status = { commit, isGood: true, description: 'x' };
    return postStatus({ guardedFetch, allowLoopback: false }, settings, { token: api.token, status });
  };
  // Where nothing speaks TLS the call ends, but it was made: an address that is refused is not connected to.
  expect(await attempt(api.url.replace('http:', 'https:'))).toEqual({
    result: 'again',
    error: expect.stringMatching(/No connection, or an answer that broke off/),
  });
  expect(await attempt(api.url)).toEqual({ result: 'again', error: expect.stringMatching(/https:/) });
  expect(api.asked).toBe(0);
});
