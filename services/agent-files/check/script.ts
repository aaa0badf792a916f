/** What the schema of a script cannot say: patterns, tools, languages and placeholders. */
import type { AgentFile, LocalizedText, Rule, ScriptedCall, Slot } from '../../contract/generated/agent.ts';
import { nearest } from '../../contract/nearest.ts';
import { isBuiltinTool } from '../builtin-tools/registry.ts';
import { builtinTool } from '../definition/builtin-tool.ts';
import { checkLocalized, includesCode } from '../definition/localized.ts';
import { groupsOf, patternProblem } from '../definition/patterns.ts';
import type { Finding } from '../faults.ts';
import { checkCallArguments } from './call.ts';
import type { Sound } from './soundness.ts';
import type { AgentSurroundings } from './surroundings.ts';

interface Context {
  tools: readonly string[];
  codes: readonly string[];
  /** Undefined when some rule could not be read: then nobody knows all names. */
  ruleNames: readonly string[] | undefined;
  slots: readonly string[] | undefined;
  /** What a tool takes; undefined when that cannot be known, as its own file has a fault. */
  parametersOf: (tool: string) => Record<string, unknown> | undefined;
}

/** Reads the rules that are sound; languages and tools must be. */
export function checkScript(
  { script, tools, languages, collect, phone }: AgentFile,
  { parameters }: Pick<AgentSurroundings, 'parameters'>,
  sound: Sound,
): Finding[] {
  if (!script || !Array.isArray(script.rules)) return [];
  const pathOf = (index: number): string[] => ['script', 'rules', `${index}`];
  const rules = script.rules.map((rule, index) => (sound(...pathOf(index)) ? rule : undefined));
  const readable = rules.filter((rule) => rule !== undefined);
  const complete = readable.length === rules.length;
  const codes = languages.map(({ code }) => code);
  const context: Context = {
    tools,
    codes,
    ruleNames: complete ? readable.flatMap(({ name }) => name ?? []) : undefined,
    slots: complete ? ['language', ...readable.flatMap(slotsOf)] : undefined,
    parametersOf: (tool) => {
      if (!isBuiltinTool(tool)) return parameters.get(tool);
      // What is wrong with the fields to collect is told where they stand.
      if (!sound('collect') || !sound('phone')) return undefined;
      return builtinTool(tool, { languages: codes, collect, transfers: phone?.transfers }).parameters;
    },
  };
  return [
    ...namesTwice(rules),
    ...rules.flatMap((rule, index) => (rule ? checkRule(rule, pathOf(index), context) : [])),
    ...(sound('script', 'fallback') ? checkText(script.fallback, ['script', 'fallback'], context) : []),
  ];
}

const slotsOf = ({ when, needs }: Rule): string[] => [
  ...needs.map(({ name }) => name),
  ...listOf(when ?? []).flatMap((pattern) => groupsOf(pattern).named),
];

function namesTwice(rules: readonly (Rule | undefined)[]): Finding[] {
  const names = rules.map((rule) => rule?.name);
  return names.flatMap((name, index): Finding[] => {
    if (name === undefined || names.indexOf(name) === index) return [];
    const message = `Another rule is named "${name}" already; give each its own name.`;
    return [{ path: ['script', 'rules', `${index}`, 'name'], rule: 'rule-twice', message }];
  });
}

function checkRule(rule: Rule, path: readonly string[], context: Context): Finding[] {
  const said =
    rule.language === undefined
      ? context.codes
      : context.codes.filter((code) => includesCode([rule.language ?? ''], code));
  return [
    ...(rule.when === undefined ? needsAfter(rule, path) : checkPatterns(rule.when, [...path, 'when'])),
    ...checkRuleLanguage(rule, path, context),
    ...checkAfter(rule, path, context),
    ...rule.needs.flatMap((slot, index) => checkSlot(slot, [...path, 'needs', `${index}`], context, said)),
    ...checkCall(rule, path, context),
    ...checkEnd(rule, path, context),
    ...checkText(rule.say, [...path, 'say'], context, { said, hasResult: rule.call !== undefined }),
    ...(rule.failed ? checkText(rule.failed, [...path, 'failed'], context, { said, hasResult: true }) : []),
  ];
}

function needsAfter(rule: Rule, path: readonly string[]): Finding[] {
  if (rule.after !== undefined) return [];
  return [
    {
      path,
      rule: 'rule-condition',
      message: 'A rule needs "when" with patterns, or "after" with the name of another rule.',
    },
  ];
}

function checkRuleLanguage({ language }: Rule, path: readonly string[], { codes }: Context): Finding[] {
  if (language === undefined || includesCode(codes, language)) return [];
  return [
    {
      path: [...path, 'language'],
      rule: 'rule-language',
      message: `"language" must be one of the agent's languages (${codes.join(', ')}), not "${language}".`,
    },
  ];
}

function checkAfter({ after }: Rule, path: readonly string[], { ruleNames }: Context): Finding[] {
  if (after === undefined || !ruleNames || ruleNames.includes(after)) return [];
  return [
    {
      path: [...path, 'after'],
      rule: 'rule-after',
      message: `No rule is named "${after}". ${hintOf(after, ruleNames)}`,
    },
  ];
}

function checkSlot(slot: Slot, path: readonly string[], context: Context, said: readonly string[]): Finding[] {
  const patternPath = [...path, 'pattern'];
  return [
    ...checkPatterns(slot.pattern, patternPath, (pattern) => groupProblem(pattern, slot.name)),
    ...checkText(slot.ask, [...path, 'ask'], context, { said }),
  ];
}

function groupProblem(pattern: string, slot: string): string | undefined {
  const { named, unnamed } = groupsOf(pattern);
  if (named.includes(slot) || unnamed) return undefined;
  return `The pattern needs a group that reads the slot, such as (?<${slot}>…) or (…).`;
}

function checkPatterns(
  patterns: string | readonly string[],
  path: readonly string[],
  more: (pattern: string) => string | undefined = () => undefined,
): Finding[] {
  return listOf(patterns).flatMap((pattern, index): Finding[] => {
    const message = patternProblem(pattern) ?? more(pattern);
    if (message === undefined) return [];
    return [{ path: typeof patterns === 'string' ? path : [...path, `${index}`], rule: 'pattern', message }];
  });
}

function checkCall({ call }: Rule, path: readonly string[], context: Context): Finding[] {
  if (!call) return [];
  const callPath = [...path, 'call'];
  return [
    ...checkCalledTool(call, callPath, context),
    ...checkArguments(call.arguments, [...callPath, 'arguments'], context),
  ];
}

function checkCalledTool(call: ScriptedCall, path: readonly string[], { tools, parametersOf }: Context): Finding[] {
  if (tools.includes(call.tool)) {
    const parameters = parametersOf(call.tool);
    return parameters ? checkCallArguments(call, parameters, path) : [];
  }
  const message = `"${call.tool}" is not among the agent's tools. ${hintOf(call.tool, tools)}`;
  return [{ path: [...path, 'tool'], rule: 'rule-tool', message }];
}

function checkArguments(value: unknown, path: readonly string[], context: Context): Finding[] {
  if (typeof value === 'string') return checkPlaceholders(value, path, context.slots, false);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => checkArguments(part, [...path, key], context));
}

function checkEnd({ end, call }: Rule, path: readonly string[], { tools }: Context): Finding[] {
  if (!end || call?.tool === 'end_call' || tools.includes('end_call')) return [];
  return [
    {
      path: [...path, 'end'],
      rule: 'rule-end',
      message: "A rule that ends the conversation needs end_call among the agent's tools.",
    },
  ];
}

function checkText(
  text: LocalizedText,
  path: readonly string[],
  { codes, slots }: Context,
  { said = codes, hasResult = false }: { said?: readonly string[]; hasResult?: boolean } = {},
): Finding[] {
  const texts: [readonly string[], string][] =
    typeof text === 'string' ? [[path, text]] : Object.entries(text).map(([code, line]) => [[...path, code], line]);
  return [
    ...checkLocalized(text, path, codes, said),
    ...texts.flatMap(([place, line]) => checkPlaceholders(line, place, slots, hasResult)),
  ];
}

function checkPlaceholders(
  text: string,
  path: readonly string[],
  slots: readonly string[] | undefined,
  hasResult: boolean,
): Finding[] {
  if (!slots) return [];
  return [...text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].flatMap(([placeholder, name = '']): Finding[] => {
    const fromResult = name === 'result' || name.startsWith('result.');
    if (slots.includes(name) || (fromResult && hasResult)) return [];
    const message = fromResult
      ? `${placeholder} is known only after a tool was called: give the rule a "call".`
      : `No slot is named "${name}". ${hintOf(name, slots)}`;
    return [{ path, within: placeholder, rule: 'placeholder', message }];
  });
}

function hintOf(given: string, known: readonly string[]): string {
  const near = nearest(given, known);
  if (near !== undefined) return `Did you mean "${near}"?`;
  return known.length === 0 ? 'There is none.' : `Known: ${[...new Set(known)].slice(0, 20).join(', ')}.`;
}

const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === 'string' ? [value] : value);
