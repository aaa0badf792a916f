import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { listCommands, words } from '../../scripts/cli/registry.ts';
import { signatureCheckFor } from '../../services/worker/request-signature.ts';

interface Step {
  name?: string;
  run?: string;
}

const read = async (path: string): Promise<Record<string, unknown>> => parse(await readFile(path, 'utf8'));

async function githubSteps(): Promise<Step[]> {
  const { jobs } = (await read('docs/write-agents/templates/github/agents.yml')) as {
    jobs: Record<string, { steps: Step[] }>;
  };
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

async function gitlabScripts(): Promise<Record<string, string>> {
  const file = await read('docs/write-agents/templates/gitlab/agents.yml');
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
  expect(runs).toHaveLength(6 + 3);
  for (const run of runs) {
    // A text that GitHub would put into a script could be a command: values come by the environment.
    expect(run).not.toContain('${{');
    expect(await bash(['-n'], { input: run })).toEqual({ status: 0, output: '' });
  }
});

test('the commands of the steps are there', async () => {
  const commands = (await listCommands()).map(words);
  const calls = (await runsOf()).flatMap((run) => [...run.matchAll(/npm run --silent parley -- (\S+ \S+)/g)]);
  expect(calls).toHaveLength(6);
  for (const [, command] of calls) expect(commands).toContain(command);
});

/** Runs what a host's job does after the merge; gives what arrived at each path, if its signature held. */
async function afterMerge(host: string, { secret, passes }: { secret: string; passes: string }) {
  const arrived: Record<string, string> = {};
  const server = createServer(async (request, response) => {
    const check = signatureCheckFor(request.headers, secret);
    const chunks = (await request.toArray()) as Buffer[];
    for (const chunk of chunks) check?.add(chunk);
    if (check?.holds()) arrived[request.url ?? ''] = Buffer.concat(chunks).toString();
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const folder = await mkdtemp(join(tmpdir(), 'parley-templates-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'passes.json'), passes);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const steps = (await githubSteps()).filter(({ name }) => /^(Hand over|Tell)/.test(name ?? ''));
  const scripts =
    host === 'GitHub' ? steps.map(({ run = '' }) => run) : [(await gitlabScripts())['agents-nudge'] ?? ''];
  const env = {
    PARLEY_PUSH_URL: `${url}/push-events`,
    PARLEY_PUSH_SECRET: secret,
    PARLEY_PASSES_URL: `${url}/scenario-passes`,
    PARLEY_PASSES_SECRET: secret,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: 'abc',
    CI_COMMIT_BRANCH: 'main',
    CI_COMMIT_SHA: 'abc',
  };
  for (const script of scripts)
    expect(await bash(['-e', '-c', `cd ${folder}\n${script}`], { env })).toMatchObject({ status: 0 });
  return arrived;
}

test.each(['GitHub', 'GitLab'])('what %s sends after the merge is signed as the worker wants it', async (host) => {
  const passes = '{"passes":[]}\n';
  expect(await afterMerge(host, { secret: `it's "a" $secret`, passes })).toEqual({
    '/scenario-passes': passes,
    '/push-events': '{"ref":"refs/heads/main","after":"abc"}',
  });
});

test('without an address nothing is sent', async () => {
  for (const [name, said] of [
    ['Tell the installation', 'looks next'],
    ['Hand over what passed', 'runs the scenarios itself'],
  ] as const) {
    const step = (await githubSteps()).find((one) => one.name === name)?.run ?? '';
    const { status, output } = await bash(['-e', '-c', step], { env: { PARLEY_PUSH_URL: '', PARLEY_PASSES_URL: '' } });
    expect([status, output]).toEqual([0, expect.stringContaining(said)]);
  }
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
