import type { ScenarioFile } from '../generated/scenario.ts';
import { nearest } from '../nearest.ts';
import type { Finding } from './faults.ts';
import { includesCode } from './localized.ts';

/** What scenarios may refer to: the tools and languages of their agent. */
export interface ScenarioSubject {
  tools: readonly string[];
  languages: readonly string[];
}

export function checkScenarios({ scenarios }: ScenarioFile, subject: ScenarioSubject): Finding[] {
  return scenarios.flatMap(({ language, tools, turns }, index): Finding[] => {
    const path = ['scenarios', `${index}`];
    return [
      ...checkLanguage(language, [...path, 'language'], subject),
      ...Object.keys(tools).flatMap((name) => checkTool(name, { path: [...path, 'tools', name], at: 'key' }, subject)),
      ...turns.flatMap(({ expect }, turn) =>
        expect.tool === undefined
          ? []
          : checkTool(expect.tool, { path: [...path, 'turns', `${turn}`, 'expect', 'tool'] }, subject),
      ),
    ];
  });
}

function checkLanguage(
  language: string | undefined,
  path: readonly string[],
  { languages }: ScenarioSubject,
): Finding[] {
  if (language === undefined || includesCode(languages, language)) return [];
  return [
    {
      path,
      rule: 'scenario-language',
      message: `The agent does not speak "${language}"; its languages are ${languages.join(', ')}.`,
    },
  ];
}

function checkTool(name: string, place: Pick<Finding, 'path' | 'at'>, { tools }: ScenarioSubject): Finding[] {
  if (tools.includes(name)) return [];
  const near = nearest(name, tools);
  const hint = near === undefined ? `Known: ${tools.join(', ') || 'none'}.` : `Did you mean "${near}"?`;
  return [{ ...place, rule: 'scenario-tool', message: `"${name}" is not among the agent's tools. ${hint}` }];
}
