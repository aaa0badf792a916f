/** Compares what an agent did with what its scenario expects; pure. What needs a judge is not decided here. */

import { makeMatch } from '../agent/tools/validate.ts';
import type { CompiledAgent } from '../agent-files/definition/compiled.ts';
import type { Expectation, WholeExpectation } from '../contract/generated/scenario.ts';
import type { Outcome } from '../contract/session.ts';
import type { Answer, Call } from './rehearsal.ts';
import { revealedPassage } from './revealed.ts';
import { languageOfText } from './spoken-language.ts';

/** Something that did not hold. */
export interface Miss {
  expected: string;
  got: string;
}

export interface Checked {
  definition: Pick<CompiledAgent, 'prompt'>;
  mayQuotePrompt: boolean;
}

/** What did not hold of one turn. */
export function missesOf(expect: Expectation, answer: Answer, checked: Checked): Miss[] {
  const { failure } = answer;
  // Whatever else was expected, this is why it did not come.
  if (failure)
    return [{ expected: 'an answer of the model', got: `the model failed (${failure.kind}): ${failure.message}` }];
  return [
    ...(answer.said === '' ? [{ expected: 'an answer', got: 'nothing was said' }] : []),
    ...answer.unanswered.map((name) => ({
      expected: `only tools that the scenario gives an answer for under "tools"`,
      got: `"${name}" was called`,
    })),
    ...toolMisses(expect, answer.calls),
    ...notToolMisses(expect.notTool, answer.calls),
    ...textMisses(expect, answer.said),
    ...languageMisses(expect.language, answer),
    ...endMisses(expect.ended, answer.ended),
    ...promptMisses(answer, checked),
  ];
}

export interface Whole {
  answers: readonly Answer[];
  outcome: Outcome;
  ended: boolean;
}

/** What did not hold of a conversation as a whole. */
export function wholeMissesOf(expect: WholeExpectation, { answers, outcome, ended }: Whole): Miss[] {
  const { turns } = expect;
  const count = answers.length;
  return [
    ...(expect.outcome !== undefined && expect.outcome !== outcome
      ? [{ expected: `outcome ${expect.outcome}`, got: `outcome ${outcome}` }]
      : []),
    ...endMisses(expect.ended, ended),
    ...(turns?.least !== undefined && count < turns.least
      ? [{ expected: `at least ${turns.least} turns`, got: `${count}` }]
      : []),
    ...(turns?.most !== undefined && count > turns.most
      ? [{ expected: `at most ${turns.most} turns`, got: `${count}` }]
      : []),
    ...notToolMisses(
      expect.notTool,
      answers.flatMap(({ calls }) => calls),
    ),
    ...answers.flatMap(({ said }) => absenceMisses(expect, said)),
  ];
}

const listOf = (texts: string | readonly string[] | undefined): readonly string[] =>
  texts === undefined ? [] : [texts].flat();

const shown = (calls: readonly Call[]): string =>
  calls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`).join(', ') || 'no tool was called';

function toolMisses({ tool, arguments: values, argumentsMatch }: Expectation, calls: readonly Call[]): Miss[] {
  if (tool === undefined) return [];
  const named = calls.filter(({ name }) => name === tool);
  if (named.length === 0) return [{ expected: `a call of ${tool}`, got: shown(calls) }];
  // One call must fit in every respect.
  const tries = named.map((call) => argumentMisses(tool, { values, argumentsMatch }, call));
  return tries.find((misses) => misses.length === 0) ?? tries[0] ?? [];
}

function argumentMisses(
  tool: string,
  {
    values,
    argumentsMatch,
  }: { values: Record<string, unknown> | undefined; argumentsMatch: Record<string, unknown> | undefined },
  call: Call,
): Miss[] {
  const got = shown([call]);
  const misses: Miss[] = [];
  if (values !== undefined && !holds(values, call.arguments))
    misses.push({ expected: `${tool} with ${JSON.stringify(values)}`, got });
  if (
    argumentsMatch !== undefined &&
    makeMatch({ name: tool, parameters: argumentsMatch })(call.arguments).status !== 'ok'
  )
    misses.push({ expected: `${tool} with arguments that match ${JSON.stringify(argumentsMatch)}`, got });
  return misses;
}

/** Whether every expected field is there with its value; maps may have more, lists may not. */
function holds(expected: unknown, given: unknown): boolean {
  if (Array.isArray(expected))
    return (
      Array.isArray(given) && given.length === expected.length && expected.every((part, at) => holds(part, given[at]))
    );
  if (typeof expected !== 'object' || expected === null) return expected === given;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return false;
  return Object.entries(expected).every(([key, part]) => holds(part, (given as Record<string, unknown>)[key]));
}

function notToolMisses(notTool: string | readonly string[] | undefined, calls: readonly Call[]): Miss[] {
  return listOf(notTool)
    .filter((name) => calls.some((call) => call.name === name))
    .map((name) => ({ expected: `no call of ${name}`, got: shown(calls) }));
}

const contains = (said: string, text: string): boolean => said.toLowerCase().includes(text.toLowerCase());
const matches = (said: string, pattern: string): boolean => new RegExp(pattern, 'iu').test(said);

function textMisses(expect: Expectation, said: string): Miss[] {
  const missing = listOf(expect.text).filter((text) => !contains(said, text));
  const unmatched = listOf(expect.matches).filter((pattern) => !matches(said, pattern));
  return [
    ...missing.map((text) => ({ expected: `the text "${text}"`, got: `"${said}"` })),
    ...unmatched.map((pattern) => ({ expected: `a text that matches /${pattern}/`, got: `"${said}"` })),
    ...absenceMisses(expect, said),
  ];
}

function absenceMisses({ notText, notMatches }: Pick<Expectation, 'notText' | 'notMatches'>, said: string): Miss[] {
  const present = listOf(notText).filter((text) => contains(said, text));
  const matched = listOf(notMatches).filter((pattern) => matches(said, pattern));
  return [
    ...present.map((text) => ({ expected: `nowhere the text "${text}"`, got: `"${said}"` })),
    ...matched.map((pattern) => ({ expected: `nothing that matches /${pattern}/`, got: `"${said}"` })),
  ];
}

const primary = (code: string): string => code.toLowerCase().split('-')[0] ?? '';

function languageMisses(language: string | undefined, answer: Answer): Miss[] {
  if (language === undefined) return [];
  if (answer.language.toLowerCase() !== language.toLowerCase())
    return [{ expected: `the conversation in ${language}`, got: `it is in ${answer.language}` }];
  const heard = languageOfText(answer.said);
  if (heard === undefined || heard === primary(language)) return [];
  return [{ expected: `a reply in ${language}`, got: `"${answer.said}", which looks like ${heard}` }];
}

const endMisses = (expected: boolean | undefined, ended: boolean): Miss[] =>
  expected === undefined || expected === ended
    ? []
    : [
        {
          expected: expected ? 'the agent ends the conversation' : 'the conversation goes on',
          got: ended ? 'the agent ended it' : 'it goes on',
        },
      ];

/** What reaches the person, and what reaches a tool's endpoint. */
function promptMisses({ said, calls }: Answer, { definition, mayQuotePrompt }: Checked): Miss[] {
  if (mayQuotePrompt) return [];
  const told = [said, ...calls.map((call) => textsIn(call.arguments).join(' '))];
  const passage = told.map((text) => revealedPassage(definition.prompt, text)).find((found) => found !== undefined);
  return passage === undefined ? [] : [{ expected: 'nothing of the prompt', got: `it said of it: "${passage}"` }];
}

/** All texts in a value; as JSON, line breaks in them would read like letters. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
