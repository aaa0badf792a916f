import type { ScenarioFailure, ScenarioReport } from '../agent-files/scenarios/report.ts';

/** The results in the XML that CI systems read: a suite for each agent, a case for each scenario. */
export function toJUnit(reports: readonly ScenarioReport[]): string {
  const agents = [...new Set(reports.map(({ agent }) => agent))];
  const suites = agents.map((agent) =>
    suiteOf(
      agent,
      reports.filter((report) => report.agent === agent),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${totals(reports)}>\n${suites.join('\n')}\n</testsuites>\n`;
}

const suiteOf = (agent: string, reports: readonly ScenarioReport[]): string =>
  `  <testsuite name="${escaped(agent)}" ${totals(reports)}>\n${reports.map(caseOf).join('\n')}\n  </testsuite>`;

function totals(reports: readonly ScenarioReport[]): string {
  const count = (outcome: ScenarioReport['outcome']) => reports.filter((report) => report.outcome === outcome).length;
  const ms = reports.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return `tests="${reports.length}" failures="${count('failed')}" errors="0" skipped="${count('skipped')}" time="${seconds(ms)}"`;
}

function caseOf(report: ScenarioReport): string {
  const { agent, name, outcome, failures, reason, durationMs, unjudged } = report;
  const open = `    <testcase classname="${escaped(agent)}" name="${escaped(name)}" time="${seconds(durationMs)}"`;
  const inside = [
    ...(outcome === 'failed' ? failures.map(failureOf) : []),
    ...(outcome === 'skipped' ? [`      <skipped message="${escaped(reason ?? '')}"/>`] : []),
    ...(unjudged > 0 ? [`      <system-out>${unjudged} expectations were not judged.</system-out>`] : []),
  ];
  return inside.length === 0 ? `${open}/>` : `${open}>\n${inside.join('\n')}\n    </testcase>`;
}

function failureOf({ turn, said, expected, got }: ScenarioFailure): string {
  const where = turn === null ? 'In the conversation as a whole' : `In turn ${turn}, after "${said}"`;
  const text = `${where}\nexpected: ${expected}\ngot: ${got}`;
  return `      <failure message="${escaped(`expected ${expected}`)}">${escaped(text)}</failure>`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** XML 1.0 has no way at all to write most control characters: what a model says may hold any. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
