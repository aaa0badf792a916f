import { expect, test } from 'vitest';
import type { ScenarioReport } from '../agent-files/scenarios/report.ts';
import type { Trial } from '../core/agents/gate.ts';
import { passesOf } from './passes.ts';

const trial = (agent: string): Trial => {
  const key = { agent, versionHash: `version of ${agent}`, scenarioHash: 'scenarios', model: 'scripted' };
  // Only what a pass is made of is read.
  return { ...key, scenarios: [] } as unknown as Trial;
};
const report = (agent: string, fields: Partial<ScenarioReport> = {}): ScenarioReport => ({
  ...{ agent, index: 0, name: 'x', model: 'scripted', outcome: 'passed', runs: 1, passes: 1, passRate: 1 },
  ...{ failures: [], unjudged: 0, durationMs: 1, ...fields },
});

test('an agent has passed when all of its scenarios have that an activation asks for', () => {
  const trials = ['good', 'bad', 'unjudged', 'left-out'].map(trial);
  const reports = [
    report('good'),
    report('good', { outcome: 'skipped', reason: 'live' }),
    report('bad'),
    report('bad', { outcome: 'failed' }),
    report('unjudged', { unjudged: 1 }),
  ];
  expect(passesOf(trials, reports)).toEqual({
    passes: [{ agent: 'good', versionHash: 'version of good', scenarioHash: 'scenarios', model: 'scripted' }],
  });
});
