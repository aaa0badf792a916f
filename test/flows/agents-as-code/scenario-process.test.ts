import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { variablesForAgents } from '../../../services/agent-files/definition/agent-variables.ts';
import type { CompiledModel } from '../../../services/agent-files/definition/compiled.ts';
import type { ScenarioReport, ScenarioRequest } from '../../../services/agent-files/scenarios/report.ts';
import { neededBy, scenarioVariables } from '../../../services/agent-files/scenarios/variables.ts';
import { runScenarioProcess, ScenariosTooSlow } from '../../../services/scenario-runner/child-process.ts';
import { eventually } from '../../support/eventually.ts';
import { onThisMachine } from '../../support/stand-ins/on-this-machine.ts';
import { compiledAgent } from '../../support/world/compiled-agent.ts';
import { scenarioOf } from '../../support/world/scenario.ts';

const ours = {
  PARLEY_DATABASE_URL: 'postgres://…',
  PARLEY_MASTER_KEYS: 'k1:…',
  LIVEKIT_API_SECRET: 'secret',
  REDIS_URL: 'redis://…',
  PGPASSWORD: 'secret',
  GIT_TOKEN: 'token',
};
const judge = { PARLEY_JUDGE_MODEL: 'judge', PARLEY_JUDGE_API_KEY: 'key' };
const keys = { OPENAI_API_KEY: 'key', OWN_KEY: 'key', CRM_TOKEN: 'crm' };

/** Of all that the worker has. */
const given = (more: Record<string, string> = {}) => {
  const variables = { ...ours, ...keys, ...more };
  return scenarioVariables(variablesForAgents(['OWN_KEY', 'CRM_TOKEN'], variables), variables);
};

const jobOn = (model: CompiledModel): ScenarioRequest => ({
  settings: { model: 'declared', live: false },
  jobs: [{ definition: compiledAgent({ definition: { model } }), scenarios: [scenarioOf({ name: 'one' })] }],
});
const limits = { maxOutputTokens: 100, timeoutMs: 1_000 };

test('scenarios get the keys of the models that they run on and the judge’s, and nothing else that the worker has', () => {
  expect(neededBy(request, given())).toEqual({});
  expect(neededBy(request, given(judge))).toEqual({ ...judge, OPENAI_API_KEY: 'key' });
  expect(neededBy(jobOn({ ...limits, provider: 'auto' }), given())).toEqual({ OPENAI_API_KEY: 'key' });
  expect(neededBy(jobOn({ ...limits, provider: 'openai', apiKey: { env: 'OWN_KEY' } }), given())).toEqual({
    OWN_KEY: 'key',
  });
  expect(neededBy(jobOn({ ...limits, provider: 'openai', apiKey: { env: 'GIT_TOKEN' } }), given())).toEqual({});
});

test('the process of scenarios has no secret in its environment', async () => {
  process.env.OF_THE_WORKER = 'secret';
  try {
    const program = `
      import { readFileSync } from 'node:fs';
      console.error(readFileSync('/proc/self/environ', 'utf8').replaceAll('\\0', ' '));
      process.exit(1);`;
    const { message } = (await runInstead(program).catch((error: Error) => error as Error)) as Error;
    expect(message).toMatch(/PATH=/);
    expect(message).not.toContain('OF_THE_WORKER');
  } finally {
    delete process.env.OF_THE_WORKER;
  }
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-scenario-process-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const request: ScenarioRequest = {
  settings: { model: 'scripted', live: false },
  jobs: [{ definition: compiledAgent(), scenarios: [scenarioOf({ name: 'one' }), scenarioOf({ name: 'two' })] }],
};

const passed = (index: number): ScenarioReport => ({
  agent: 'desk',
  index,
  name: `${index}`,
  model: 'scripted',
  outcome: 'passed',
  runs: 1,
  passes: 1,
  passRate: 1,
  failures: [],
  unjudged: 0,
  durationMs: 1,
});

/** Runs a program in the place of the scenarios' own; it writes its process id beside itself first. */
async function runInstead(program: string, { deadlineMs = 60_000, signal = new AbortController().signal } = {}) {
  const file = join(folder, 'program.mjs');
  await rm(join(folder, 'pid'), { force: true });
  const begin = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid));`;
  await writeFile(file, `${begin}\n${program}`);
  return runScenarioProcess(request, { env: process.env, deadlineMs, signal, program: file });
}

const startedPid = () => eventually('it has started', async () => Number(await readFile(join(folder, 'pid'), 'utf8')));

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

describe('a process for scenarios', () => {
  test('is given the request as a line and gives its reports', async () => {
    const reports = [passed(0), passed(1)];
    const program = `process.stdin.once('data', () => process.stdout.write(${JSON.stringify(JSON.stringify(reports))}, () => process.exit(0)));`;
    expect(await runInstead(program)).toEqual(reports);
  });

  test('that hangs is killed at the deadline, with what it has started holding its output open', async () => {
    const program = `
      import { spawn } from 'node:child_process';
      const child = spawn('sleep', ['600'], { stdio: ['ignore', 'inherit', 'inherit'] });
      writeFileSync(${JSON.stringify(join(folder, 'child'))}, String(child.pid));
      for (;;);`;
    await expect(runInstead(program, { deadlineMs: 3_000 })).rejects.toThrow(ScenariosTooSlow);
    const pid = await startedPid();
    await eventually('the process is gone', () => isGone(pid));
    process.kill(Number(await readFile(join(folder, 'child'), 'utf8')), 'SIGKILL');
  });

  test.each([
    ['answers without end', 'stdout', /said more than/],
    ['complains without end and dies', 'stderr', /could not be run \(3\): x{100}/],
  ])('that %s is ended, and no more of it is kept than is told', async (_what, stream, message) => {
    const program = `
      const part = 'x'.repeat(1024 * 1024);
      let parts = 0;
      const more = () => (parts += 1) > 40 ? process.exit(3) : process.${stream}.write(part, more);
      more();`;
    const failure = await runInstead(program).catch((error: Error) => error);
    expect(failure).toMatchObject({ message: expect.stringMatching(message) });
    expect((failure as Error).message.length).toBeLessThan(3_000);
    expect(failure).not.toBeInstanceOf(ScenariosTooSlow);
    expect(isGone(await startedPid())).toBe(true);
  });

  test.each([
    ['dies with a status', 'console.error("no model here"); process.exit(7);', /could not be run \(7\): no model here/],
    ['is killed', 'process.kill(process.pid, "SIGKILL");', /could not be run \(killed\)/],
    ['never ends its promise', 'await new Promise(() => undefined);', /could not be run \(13\)/],
    ['answers nothing', 'process.exit(0);', /JSON/],
    ['answers no JSON', 'process.stdout.write("fine!", () => process.exit(0));', /JSON/],
    [
      'leaves a scenario out',
      `process.stdout.write(${JSON.stringify(JSON.stringify([passed(0)]))}, () => process.exit(0));`,
      /1 scenarios were not answered, such as desk 1/,
    ],
  ])('that %s has passed nothing', async (_what, program, message) => {
    await expect(runInstead(program)).rejects.toThrow(message);
  });

  test('ends when the worker stops', async () => {
    const stopping = new AbortController();
    const run = runInstead('for (;;);', { signal: stopping.signal });
    const pid = await startedPid();
    stopping.abort(new Error('the worker stops'));
    await expect(run).rejects.toThrow('the worker stops');
    await eventually('the process is gone', () => isGone(pid));
  });

  test('that waits for a model ends by itself when the worker is killed', async () => {
    await using model = await startSilentServer();
    const stalled: ScenarioRequest = {
      settings: { model: 'declared', live: false },
      jobs: [
        {
          definition: compiledAgent({
            definition: {
              model: {
                provider: 'openai',
                name: 'slow',
                baseUrl: `http://127.0.0.1:${model.port}/v1`,
                maxOutputTokens: 100,
                timeoutMs: 100_000,
              },
            },
          }),
          scenarios: [scenarioOf({ name: 'never answered' })],
        },
      ],
    };
    const worker = startWorkerWith(stalled);
    try {
      await model.called;
      const [pid] = await childrenOf(worker);
      expect(isGone(pid ?? 0)).toBe(false);
      worker.kill('SIGKILL');
      await eventually('the process is gone', () => isGone(pid ?? 0));
    } finally {
      worker.kill('SIGKILL');
    }
  });
});

/** Takes connections and never answers: a model that hangs. `called` resolves with the first. */
async function startSilentServer(): Promise<{ port: number; called: Promise<unknown> } & AsyncDisposable> {
  const server = createServer((socket) => void socket.on('error', () => undefined));
  const called = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    called,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** A process that has scenarios run and does nothing else. */
function startWorkerWith(given: ScenarioRequest): ChildProcess {
  const program = `
    import { runScenarioProcess } from ${JSON.stringify(new URL('../../../services/scenario-runner/child-process.ts', import.meta.url).href)};
    const signal = new AbortController().signal;
    await runScenarioProcess(${JSON.stringify(given)}, { env: ${JSON.stringify(onThisMachine)}, deadlineMs: 600_000, signal });`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const childrenOf = async ({ pid }: ChildProcess): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean).map(Number);
