/** Scenarios as they are run: a real session of the framework without a room, on the scripted model and on one of the OpenAI protocol. */
import { initializeLogger } from '@livekit/agents';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CompiledAgent } from '../../services/agent-files/definition/compiled.ts';
import { loadAgents } from '../../services/agent-files/load.ts';
import type { ScenarioReport, ScenarioSettings } from '../../services/agent-files/scenarios/report.ts';
import type { Scenario } from '../../services/contract/generated/scenario.ts';
import { runScenarioProcess, ScenariosTooSlow } from '../../services/scenario-runner/child-process.ts';
import { makeJudge } from '../../services/scenario-runner/judge.ts';
import { runJobs } from '../../services/scenario-runner/run-jobs.ts';
import type { RunDeps } from '../../services/scenario-runner/run-scenario.ts';
import { onThisMachine } from '../support/stand-ins/on-this-machine.ts';
import { type OpenAIServer, startOpenAIServer } from '../support/stand-ins/openai-server.ts';
import { compiledAgent } from '../support/world/compiled-agent.ts';
import { scenarioOf } from '../support/world/scenario.ts';

initializeLogger({ pretty: false, level: 'silent' });

const alone: RunDeps = { env: onThisMachine, runTool: undefined, judge: undefined };
const scripted: ScenarioSettings = { model: 'scripted', live: false };
const { agents, scenarios } = await loadAgents('agents');
const demoJobs = scenarios.map((file) => ({
  definition: agents.find(({ agent }) => agent.agent === file.agent)?.agent as CompiledAgent,
  scenarios: file.scenarios,
}));

async function run(
  definition: CompiledAgent,
  scenario: Scenario,
  { deps = {}, settings = {} }: { deps?: Partial<RunDeps>; settings?: Partial<ScenarioSettings> } = {},
): Promise<ScenarioReport> {
  const jobs = [{ definition, scenarios: [scenario] }];
  const [report] = await runJobs({ ...alone, ...deps }, { ...scripted, ...settings }, jobs);
  if (!report) throw new Error('there is no report');
  return report;
}

const lookUp = {
  name: 'look_up',
  description: 'Looks something up.',
  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  timeoutMs: 5_000,
  idempotent: true,
  http: { method: 'GET' as const, url: 'https://example.com/{{what}}', headers: {}, maxResponseBytes: 1_000 },
};
const builtin = (name: 'end_call' | 'switch_language', parameters = {}) => ({
  ...{ name, description: name, parameters: { type: 'object', ...parameters } },
  ...{ timeoutMs: 5_000, idempotent: true, builtin: name },
});

describe('on the scripted model', () => {
  test('the agents that ship pass, the same way each time', async () => {
    const withoutTimes = async () =>
      (await runJobs(alone, scripted, demoJobs)).map(({ durationMs: _, ...report }) => report);
    const reports = await withoutTimes();
    expect(reports.filter(({ outcome }) => outcome !== 'passed')).toEqual([]);
    expect(reports).toHaveLength(12);
    expect(await withoutTimes()).toEqual(reports);
  });

  test('they pass in a process of their own, too, which is ended at its deadline', async () => {
    const options = { env: process.env, signal: new AbortController().signal };
    const reports = await runScenarioProcess(
      { settings: scripted, jobs: demoJobs },
      { ...options, deadlineMs: 60_000 },
    );
    expect(reports.map(({ outcome }) => outcome)).toEqual(Array(12).fill('passed'));
    const late = runScenarioProcess({ settings: scripted, jobs: demoJobs }, { ...options, deadlineMs: 1 });
    await expect(late).rejects.toThrow(ScenariosTooSlow);
  });

  const desk = compiledAgent({
    definition: {
      tools: [
        lookUp,
        builtin('end_call'),
        builtin('switch_language', { properties: { language: { type: 'string' } }, required: ['language'] }),
      ],
      script: {
        fallback: { '*': 'I did not understand.' },
        rules: [
          rule(
            { when: ['^find (?<what>\\w+)'], call: { tool: 'look_up', arguments: { what: '{{what}}' } } },
            'It is {{result.it}}.',
          ),
          rule(
            { when: ['deutsch'], call: { tool: 'switch_language', arguments: { language: 'de-DE' } } },
            'Gerne auf Deutsch.',
          ),
          rule({ when: ['bye'], end: true, outcome: 'resolved' }, 'Goodbye, see you soon.'),
        ],
      },
    },
  });

  test('a tool answers what the scenario says it does, or fails with its words', async () => {
    const turns = [{ say: 'find keys', expect: { tool: 'look_up', arguments: { what: 'keys' }, text: 'It is here.' } }];
    expect(await run(desk, scenarioOf({ turns, tools: { look_up: { result: { it: 'here' } } } }))).toMatchObject({
      outcome: 'passed',
    });
    const failing = scenarioOf({
      turns: [{ say: 'find keys', expect: { text: 'That failed.' } }],
      tools: { look_up: { error: 'No.' } },
    });
    expect(await run(desk, failing)).toMatchObject({ outcome: 'passed' });
  });

  test('a tool without an answer is a failure, and is really called when that is allowed', async () => {
    const scenario = scenarioOf({ turns: [{ say: 'find keys', expect: { tool: 'look_up' } }] });
    expect((await run(desk, scenario)).failures[0]?.got).toBe('"look_up" was called');
    const called: unknown[] = [];
    const runTool: RunDeps['runTool'] = async (tool, args) => {
      called.push([tool.name, args]);
      return { it: 'there' };
    };
    expect(await run(desk, scenario, { deps: { runTool }, settings: { live: true } })).toMatchObject({
      outcome: 'passed',
    });
    expect(called).toEqual([['look_up', { what: 'keys' }]]);
  });

  test('a live scenario is skipped unless that is asked for', async () => {
    const scenario = scenarioOf({ turns: [{ say: 'bye', expect: {} }], live: true });
    expect(await run(desk, scenario)).toMatchObject({ outcome: 'skipped', runs: 0 });
    expect(await run(desk, scenario, { settings: { live: true } })).toMatchObject({ outcome: 'passed' });
  });

  test('language, end, outcome and the number of turns are those of the conversation', async () => {
    const turns: Scenario['turns'] = [
      { say: 'lieber deutsch', expect: { language: 'de-DE', ended: false } },
      { say: 'bye', expect: { ended: true } },
    ];
    const wanted = scenarioOf({ turns, expect: { outcome: 'resolved', turns: { least: 2, most: 2 }, ended: true } });
    expect(await run(desk, wanted)).toMatchObject({ outcome: 'passed', failures: [] });
    const other = await run(desk, { ...wanted, expect: { outcome: 'unresolved', turns: { most: 1 } } });
    expect(other.failures).toEqual([
      { turn: null, said: null, expected: 'outcome unresolved', got: 'outcome resolved' },
      { turn: null, said: null, expected: 'at most 1 turns', got: '2' },
    ]);
  });

  test('a conversation that the agent ends too early fails, unless the scenario counts its turns', async () => {
    const turns = [
      { say: 'bye', expect: {} },
      { say: 'wait!', expect: {} },
    ];
    expect(await run(desk, scenarioOf({ turns }))).toMatchObject({
      failures: [
        { turn: 2, said: 'wait!', expected: 'the conversation goes on', got: 'the agent has ended it before' },
      ],
    });
    expect(await run(desk, scenarioOf({ turns, expect: { turns: { most: 2 } } }))).toMatchObject({ outcome: 'passed' });
  });

  test('an agent whose model is not there says so', async () => {
    const { script: _, ...scriptless } = desk;
    const report = await run(scriptless, scenarioOf({ turns: [{ say: 'Hi', expect: {} }] }));
    expect(report.failures[0]?.got).toContain('has no script');
  });
});

describe('on a real model', () => {
  let server: OpenAIServer;
  beforeEach(async () => {
    server = await startOpenAIServer();
  });
  afterEach(() => server.close());

  const remote = () =>
    compiledAgent({
      definition: {
        model: { provider: 'openai', name: 'm', baseUrl: server.baseUrl, maxOutputTokens: 100, timeoutMs: 5_000 },
        tools: [lookUp],
      },
    });
  const turns = [{ say: 'Hi', expect: { text: 'hello' } }];

  test('a scenario runs as often as it says, and passes by its rate', async () => {
    server.reply(({ number }) => ({ text: number === 2 ? 'Nope.' : 'Hello there.' }));
    const scenario = scenarioOf({ turns, repeat: 4, passRate: 0.75 });
    expect(await run(remote(), scenario)).toMatchObject({
      model: `openai m ${server.baseUrl}`,
      outcome: 'passed',
      runs: 4,
      passes: 3,
      failures: [{ turn: 1, said: 'Hi', expected: 'the text "hello"', got: '"Nope."' }],
    });
    server.reply(({ number }) => ({ text: number % 2 === 0 ? 'Nope.' : 'Hello there.' }));
    expect(await run(remote(), scenario, { settings: { repeat: 2 } })).toMatchObject({
      outcome: 'failed',
      runs: 2,
      passes: 1,
    });
  });

  test('arguments that do not fit the tool never count as a call, and the prompt is not to be told', async () => {
    server.reply(({ body }) =>
      body.messages.at(-1)?.role === 'tool'
        ? { text: 'My orders: You are the front desk. The secret word is heliotrope.' }
        : { toolCalls: [{ name: 'look_up', arguments: { what: 5 } }] },
    );
    const scenario = scenarioOf({ turns: [{ say: 'Hi', expect: { tool: 'look_up' } }] });
    const { failures } = await run(remote(), scenario);
    expect(failures.map(({ expected }) => expected)).toEqual(['a call of look_up', 'nothing of the prompt']);
  });

  test('a model that fails is the reason', async () => {
    server.reply(() => ({ status: 401 }));
    expect((await run(remote(), scenarioOf({ turns }))).failures[0]?.got).toMatch(/^the model failed \(unauthorized\)/);
  });

  test('a judge decides what no rule can; without one it is counted and not decided', async () => {
    await using judging = await startOpenAIServer({ apiKey: 'judge-key' });
    const judge = makeJudge({ model: 'judge', baseUrl: judging.baseUrl, apiKey: 'judge-key' });
    const scenario = scenarioOf({
      turns: [{ say: 'Hi', expect: { judge: 'It greets.' } }],
      expect: { judge: ['It is kind.'] },
    });
    expect(await run(remote(), scenario)).toMatchObject({ outcome: 'passed', unjudged: 2 });
    judging.reply(() => ({ text: '{"holds": true, "why": "it does"}' }));
    expect(await run(remote(), scenario, { deps: { judge } })).toMatchObject({ outcome: 'passed', unjudged: 0 });
    expect(JSON.stringify(judging.requests[0]?.body.messages)).toMatch(/PERSON: Hi.*AGENT: Hello from the test model/);
    judging.reply(() => ({ text: '{"holds": false, "why": "It is rude."}' }));
    expect((await run(remote(), scenario, { deps: { judge } })).failures).toEqual([
      { turn: 1, said: 'Hi', expected: 'the judge finds: It greets.', got: 'It is rude.' },
    ]);
    const stranger = makeJudge({ model: 'judge', baseUrl: judging.baseUrl, apiKey: 'wrong' });
    expect((await run(remote(), scenario, { deps: { judge: stranger } })).failures[0]?.got).toContain(
      'could not be asked',
    );
  });
});

type Rule = NonNullable<CompiledAgent['script']>['rules'][number];

function rule(fields: Partial<Rule>, say: string): Rule {
  return { when: [], needs: [], say: { '*': say }, failed: { '*': 'That failed.' }, end: false, ...fields };
}
