import { readDocument } from '../agents/document.ts';
import type { Fault } from '../agents/faults.ts';

/** An agent's scenarios, within the folder of agents. */
export const scenarioFile = (agent: string): string => `scenarios/${agent}.yaml`;

/** Where a scenario stands in the text of its file, or one of its turns; scenarios count from 0, turns from 1. */
export function placeOf(
  { file, text }: { file: string; text: string },
  { scenario, turn }: { scenario: number; turn: number | null },
): Pick<Fault, 'file' | 'line' | 'column'> {
  const path = ['scenarios', `${scenario}`, ...(turn === null ? [] : ['turns', `${turn - 1}`])];
  const { line, column } = readDocument(file, text).locate({ path, rule: 'scenario', message: '' });
  return { file, line, column };
}
