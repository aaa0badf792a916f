import type { Fault } from '../faults.ts';
import { readDocument } from '../read/document.ts';

/** An agent's scenarios, within the folder of agents. */
export const scenarioFile = (agent: string): string => `scenarios/${agent}.yaml`;

export interface ScenarioPosition {
  /** From 0, as in a report. */
  scenario: number;
  /** From 1; null for the scenario as a whole. */
  turn: number | null;
}

/** Where a scenario stands in the text of its file, or one of its turns. Reads the text again: it is hardly ever asked. */
export function positionOf(
  { file, text }: { file: string; text: string },
  { scenario, turn }: ScenarioPosition,
): Pick<Fault, 'file' | 'line' | 'column'> {
  const path = ['scenarios', `${scenario}`, ...(turn === null ? [] : ['turns', `${turn - 1}`])];
  const { line, column } = readDocument(file, text).locate({ path, rule: 'scenario', message: '' });
  return { file, line, column };
}
