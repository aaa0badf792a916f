/** What a run of scenarios takes and gives; plain JSON, for it crosses the border of a process. */

import type { Scenario } from '../../contract/generated/scenario.ts';
import type { CompiledAgent } from '../definition/compiled.ts';

/** One agent with its scenarios, to be run. */
export interface ScenarioJob {
  definition: CompiledAgent;
  scenarios: readonly Scenario[];
}

export interface ScenarioSettings {
  /** `scripted`: on the embedded model wherever an agent has a script. `declared`: on the model that the agent names. */
  model: ModelChoice;
  /** Whether tools without an answer in the scenario are really called. */
  live: boolean;
  /** Instead of what the scenarios say. */
  repeat?: number;
}

export type ModelChoice = 'scripted' | 'declared';

/** Something that was expected and did not happen. */
export interface ScenarioFailure {
  /** From 1; null when it concerns the whole conversation. */
  turn: number | null;
  /** What the person said in that turn; null for the whole conversation. */
  said: string | null;
  expected: string;
  /** What the agent said or did instead. */
  got: string;
}

export interface ScenarioReport {
  agent: string;
  /** Position in the agent's file, from 0. */
  index: number;
  name: string;
  /** As in `modelName`. */
  model: string;
  outcome: 'passed' | 'failed' | 'skipped';
  /** Why it was skipped. */
  reason?: string;
  runs: number;
  passes: number;
  /** Part of the runs that had to pass. */
  passRate: number;
  /** Of the first run that failed; there may be some although enough runs passed. */
  failures: ScenarioFailure[];
  /** Expectations for a judge where none is set. */
  unjudged: number;
  durationMs: number;
}

export interface ScenarioRequest {
  settings: ScenarioSettings;
  jobs: readonly ScenarioJob[];
}

/** The line that a process for scenarios is given: keys are on no command line and in no environment. */
export interface ScenarioLine extends ScenarioRequest {
  variables: Readonly<Record<string, string>>;
}
