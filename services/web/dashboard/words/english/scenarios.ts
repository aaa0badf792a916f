/** What is said of scenarios. */
export const scenarios = {
  intro: 'Conversations that must go well. A version that fails one does not go live.',
  none: 'No agent has scenarios yet',
  noneHow:
    'Open a conversation that went as it should, and write it as a scenario: it is tried before each version goes live.',
  toSessions: 'To the conversations',
  run: 'Run them now',
  running: 'Running',
  notRun: 'Not run here yet',
  live: 'Calls real endpoints',
  outcomes: { passed: 'Passed', failed: 'Failed', skipped: 'Skipped' },
  runs: (passes: number, runs: number, model: string) =>
    runs === 1 ? `on ${model}` : `${passes} of ${runs} runs passed on ${model}`,
  expected: 'Expected',
  got: 'Got',
  passes: 'Versions that passed all of them',
  passedAt: 'Passed',
  earlier: 'as they were then',
  neverPassed: 'No version has passed all of them yet.',
};
