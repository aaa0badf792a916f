import type { Scenario } from '../../../services/contract/generated/scenario.ts';

/** A scenario as the compiler would give it, for tests that need no files: one turn in which nothing is expected. */
export const scenarioOf = (fields: Partial<Scenario> = {}): Scenario => ({
  name: 'a scenario',
  tools: {},
  live: false,
  repeat: 1,
  passRate: 1,
  mayQuotePrompt: false,
  turns: [{ say: 'Hi', expect: {} }],
  expect: {},
  ...fields,
});
