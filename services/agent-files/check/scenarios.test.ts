import { describe, expect, test } from 'vitest';
import { checkFiles } from '../check-files.ts';

const agent = `name: Desk
prompt: Be kind.
languages: [{ code: en, name: English }]
model: { provider: scripted }
script: { fallback: "Yes?", rules: [{ when: hi, say: Hello. }] }
tools: [end_call]
`;

const faultsOf = (expect: string, whole = '{}'): string[] =>
  checkFiles(
    new Map([
      ['desk.yaml', agent],
      [
        'scenarios/desk.yaml',
        `scenarios:\n  - name: It answers\n    turns:\n      - say: Hi\n        expect: ${expect}\n    expect: ${whole}\n`,
      ],
    ]),
  ).faults.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe('what a scenario expects', () => {
  test('may use every field', () => {
    const turn =
      '{ tool: end_call, arguments: {}, argumentsMatch: { type: object }, notTool: [end_call], text: a, notText: [b], matches: c+, notMatches: [d], language: en, ended: true, judge: It is kind. }';
    const whole =
      '{ outcome: resolved, ended: true, turns: { least: 1, most: 2 }, notTool: end_call, notText: x, notMatches: y, judge: [It is kind.] }';
    expect(faultsOf(turn, whole)).toEqual([]);
  });

  test('names tools and languages that the agent has', () => {
    expect(faultsOf('{ notTool: end_cal }')).toEqual([
      '5:28 "end_cal" is not among the agent\'s tools. Did you mean "end_call"?',
    ]);
    expect(faultsOf('{}', '{ notTool: [end_call, find] }')).toEqual([
      '6:35 "find" is not among the agent\'s tools. Known: end_call.',
    ]);
    expect(faultsOf('{ language: de }')).toEqual(['5:29 The agent does not speak "de"; its languages are en.']);
  });

  test('asks about arguments of a tool that it names', () => {
    expect(faultsOf('{ argumentsMatch: { type: object } }')).toEqual([
      '5:19 "argumentsMatch" needs "tool" beside it: the name of the tool whose call it is about.',
    ]);
  });

  test('has patterns and schemas that can be used', () => {
    expect(faultsOf('{ matches: "(" }')[0]).toMatch(/^5:28 The pattern is not a regular expression/);
    expect(faultsOf('{}', '{ notMatches: ["(a+)+"] }')[0]).toMatch(/^6:28 The pattern repeats a group/);
    expect(faultsOf('{ tool: end_call, argumentsMatch: { type: objct } }')[0]).toMatch(/^5:\d+ "type" must be one of/);
  });
});
