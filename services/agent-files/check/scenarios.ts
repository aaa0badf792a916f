import type { Expectation, ScenarioFile, WholeExpectation } from '../../contract/generated/scenario.ts';
import { nearest } from '../../contract/nearest.ts';
import { includesCode } from '../definition/localized.ts';
import { patternProblem } from '../definition/patterns.ts';
import type { Finding } from '../faults.ts';
import { schemaProblem } from './tool.ts';

/** What scenarios may refer to: the tools and languages of their agent. */
export interface ScenarioSubject {
  tools: readonly string[];
  languages: readonly string[];
}

export function checkScenarios({ scenarios }: ScenarioFile, subject: ScenarioSubject): Finding[] {
  return scenarios.flatMap(({ language, tools, turns, expect }, index): Finding[] => {
    const path = ['scenarios', `${index}`];
    return [
      ...checkLanguage(language, [...path, 'language'], subject),
      ...Object.keys(tools).flatMap((name) => checkTool(name, { path: [...path, 'tools', name], at: 'key' }, subject)),
      ...turns.flatMap((turn, at) => checkExpectation(turn.expect, [...path, 'turns', `${at}`, 'expect'], subject)),
      ...checkExpectation(expect, [...path, 'expect'], subject),
    ];
  });
}

type Path = readonly string[];

function checkExpectation(expect: Expectation & Omit<WholeExpectation, 'judge'>, path: Path, subject: ScenarioSubject) {
  const { tool, argumentsMatch, language } = expect;
  return [
    ...(tool === undefined ? [] : checkTool(tool, { path: [...path, 'tool'] }, subject)),
    ...checkNeedsTool(expect, path),
    ...(argumentsMatch === undefined ? [] : checkSchema(argumentsMatch, [...path, 'argumentsMatch'])),
    ...entries(expect.notTool, [...path, 'notTool']).flatMap(([name, at]) => checkTool(name, { path: at }, subject)),
    ...checkLanguage(language, [...path, 'language'], subject),
    ...(['matches', 'notMatches'] as const).flatMap((field) =>
      entries(expect[field], [...path, field]).flatMap(([pattern, at]) => checkPattern(pattern, at)),
    ),
  ];
}

/** A field that holds a text or several, as texts with their places. */
const entries = (value: string | string[] | undefined, path: Path): [string, Path][] =>
  Array.isArray(value)
    ? value.map((text, index) => [text, [...path, `${index}`]])
    : [value ?? []].flat().map((text) => [text, path]);

function checkNeedsTool({ tool, arguments: values, argumentsMatch }: Expectation, path: Path): Finding[] {
  if (tool !== undefined) return [];
  const field = values === undefined ? 'argumentsMatch' : 'arguments';
  if (values === undefined && argumentsMatch === undefined) return [];
  const message = `"${field}" needs "tool" beside it: the name of the tool whose call it is about.`;
  return [{ path: [...path, field], at: 'key', rule: 'scenario-arguments', message }];
}

function checkSchema(schema: Record<string, unknown>, path: Path): Finding[] {
  const problem = schemaProblem(schema);
  if (problem === undefined) return [];
  const message = problem.message.replace('"parameters"', '"argumentsMatch"');
  return [{ path: [...path, ...problem.path], rule: 'scenario-schema', message }];
}

function checkPattern(pattern: string, path: Path): Finding[] {
  const message = patternProblem(pattern);
  return message === undefined ? [] : [{ path, rule: 'scenario-pattern', message }];
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
