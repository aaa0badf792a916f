import type { ScenarioFailure, ScenarioReport } from '../agent-files/scenarios/report.ts';
import { settings } from '../settings/settings.ts';

const marks = { passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' };

/** A line for each scenario; below a failed one what was expected, and what was said. */
export function linesOf(
  reports: readonly ScenarioReport[],
  positionOf: (report: ScenarioReport, turn: number | null) => string,
): string[] {
  return reports.flatMap((report) => [
    headOf(report),
    ...(report.outcome === 'failed'
      ? report.failures.flatMap((failure) => failureLines(report, failure, positionOf))
      : []),
  ]);
}

function headOf(report: ScenarioReport): string {
  const { outcome, agent, name, model, runs, passes, durationMs, unjudged, reason } = report;
  const notes = [
    ...(model === 'scripted' ? [] : [model]),
    ...(runs > 1 ? [`${passes} of ${runs} runs passed, ${Math.ceil(report.passRate * runs - 1e-9)} must`] : []),
    ...(unjudged > 0 ? [`${unjudged} not judged`] : []),
    ...(reason === undefined ? [`${durationMs} ms`] : [reason]),
  ];
  return `${marks[outcome]} ${agent}: ${name}  (${notes.join('; ')})`;
}

function failureLines(
  report: ScenarioReport,
  { turn, said, expected, got }: ScenarioFailure,
  positionOf: (report: ScenarioReport, turn: number | null) => string,
): string[] {
  const where = turn === null ? 'the conversation as a whole' : `turn ${turn}, after "${said}"`;
  return [
    `        ${positionOf(report, turn)}  ${where}`,
    `          expected  ${expected}`,
    `          got       ${got}`,
  ];
}

export function totalLine(reports: readonly ScenarioReport[]): string {
  const count = (outcome: ScenarioReport['outcome']) => reports.filter((report) => report.outcome === outcome).length;
  const unjudged = reports.reduce((sum, report) => sum + report.unjudged, 0);
  return [
    `${count('passed')} passed`,
    `${count('failed')} failed`,
    ...(count('skipped') > 0 ? [`${count('skipped')} skipped`] : []),
    ...(unjudged > 0 ? [`${unjudged} expectations not judged (${settings.judge.settings.model.name} is not set)`] : []),
  ].join(', ');
}
