import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { matchesGlob } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { pushCheckFor } from '../../services/worker/agents/push-signature.ts';

interface Step {
  name?: string;
  run?: string;
}

const read = async (path: string): Promise<Record<string, unknown>> => parse(await readFile(path, 'utf8'));

async function githubSteps(): Promise<Step[]> {
  const { jobs } = (await read('docs/templates/github/agents.yml')) as { jobs: Record<string, { steps: Step[] }> };
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

async function gitlabScripts(): Promise<Record<string, string>> {
  const file = await read('docs/templates/gitlab/agents.yml');
  const jobs = Object.entries(file as Record<string, { script?: string[] }>);
  return Object.fromEntries(jobs.flatMap(([name, { script }]) => (script ? [[name, script.join('\n')]] : [])));
}

/** Exit status and everything that was said. */
function bash(args: string[], { input = '', env = {} } = {}): Promise<{ status: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile('bash', args, { env: { PATH: process.env.PATH, ...env } }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, output: stdout + stderr }),
    );
    child.stdin?.end(input);
  });
}

const runsOf = async (): Promise<string[]> => [
  ...(await githubSteps()).flatMap(({ run }) => run ?? []),
  ...Object.values(await gitlabScripts()),
];

test('every step is a script that the shell can read, and the host fills nothing into it', async () => {
  const runs = await runsOf();
  expect(runs).toHaveLength(5 + 3);
  for (const run of runs) {
    // A text that GitHub would put into a script could be a command: values come by the environment.
    expect(run).not.toContain('${{');
    expect(await bash(['-n'], { input: run })).toEqual({ status: 0, output: '' });
  }
});

test('the commands of the steps are there', async () => {
  const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
  const named = (await runsOf()).flatMap((run) => [...run.matchAll(/npm run --silent (\S+)/g)].map(([, name]) => name));
  expect(named).toHaveLength(6);
  for (const name of named) expect(Object.keys(scripts)).toContain(name);
});

test.each(['GitHub', 'GitLab'])('the nudge of %s is signed as the worker wants it', async (host) => {
  const secret = `it's "a" $secret`;
  const accepted: boolean[] = [];
  const server = createServer(async (request, response) => {
    const check = pushCheckFor(request.headers, secret);
    for await (const chunk of request as AsyncIterable<Buffer>) check?.add(chunk);
    accepted.push(check?.holds() ?? false);
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/push-events`;
  const step =
    host === 'GitHub'
      ? (await githubSteps()).find(({ name }) => name === 'Tell the installation')?.run
      : (await gitlabScripts())['agents-nudge'];
  const env = {
    PARLEY_PUSH_URL: url,
    PARLEY_PUSH_SECRET: secret,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: 'abc',
    CI_COMMIT_BRANCH: 'main',
    CI_COMMIT_SHA: 'abc',
  };
  expect(await bash(['-e', '-c', step ?? ''], { env })).toMatchObject({ status: 0 });
  expect(accepted).toEqual([true]);
});

test('without an address nothing is sent', async () => {
  const step = (await githubSteps()).find(({ name }) => name === 'Tell the installation')?.run ?? '';
  const { status, output } = await bash(['-e', '-c', step], { env: { PARLEY_PUSH_URL: '' } });
  expect([status, output]).toEqual([0, expect.stringContaining('looks next')]);
});

test('editors find the schema of every file in agents/', async () => {
  const settings: unknown = JSON.parse(await readFile('.vscode/settings.json', 'utf8'));
  const schemas = Object.entries((settings as { 'yaml.schemas': Record<string, string[]> })['yaml.schemas']);
  const schemaOf = (file: string) =>
    schemas
      .filter(([, globs]) => !globs.includes(`!${file}`) && globs.some((glob) => matchesGlob(file, glob)))
      .map(([schema]) => schema.replace(/^.*\/(\w+)\.schema\.json$/, '$1'));
  expect(schemaOf('agents/support.yaml')).toEqual(['agent']);
  expect(schemaOf('agents/policies.yaml')).toEqual(['policies']);
  expect(schemaOf('agents/tools/book_table.yaml')).toEqual(['tool']);
  expect(schemaOf('agents/scenarios/support.yaml')).toEqual(['scenario']);
  for (const [schema] of schemas) await readFile(schema, 'utf8');
});
