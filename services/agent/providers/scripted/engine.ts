import type { CompiledScript, ScriptRule, ScriptSlot } from '../../../agent-files/definition/compiled.ts';
import type { Outcome } from '../../../contract/session.ts';
import { fillArguments } from './arguments.ts';
import type { ConversationItem, Step, ToolShape } from './conversation.ts';
import { findsAnywhere, matchPattern } from './patterns.ts';
import { fill, inLanguage } from './templates.ts';

/**
 * What the scripted agent says or does next. A pure function of the conversation: slots and the rule that is being
 * filled are found again by replaying what the person wrote, so any process continues a conversation alike.
 *
 * - The first rule whose conditions hold decides. With missing slots it asks for them, one after another.
 * - While a rule is being filled it keeps the floor, unless the text is no answer to its question and another rule
 *   matches: that one takes over, and what was answered so far is kept for when the person comes back.
 * - Values come from the named groups of `when`; from a slot's patterns in the answer to its question; and, from the text
 *   that opens the rule and every answer within it, by patterns that `findsAnywhere` trusts.
 * - A rule that is done forgets its slots when it is opened anew, so a second booking asks again.
 * - After a tool's result: the words of the rule that called, or its words for a failure.
 *
 * Never throws, and always answers; after `end_call` there is nothing more to say and the words are empty.
 */
export function nextStep(
  script: CompiledScript,
  conversation: readonly ConversationItem[],
  language: string,
  tools: readonly ToolShape[] = [],
): Step {
  const state = replay(script, conversation, language);
  const last = conversation.at(-1);
  const turn = { script, state, language, tools };
  if (last && 'result' in last) return afterResult(turn, lastCall(conversation), last.result);
  if (last && 'call' in last) return afterResult(turn, last.call.tool, { ok: false, output: undefined });
  if (last?.role === 'user' && state.move) return take(turn, state.move);
  return { say: fallbackText(turn) };
}

/** The outcome that the conversation's rules declare: that of the last rule that had one and was carried out. */
export function scriptedOutcome(
  script: CompiledScript,
  conversation: readonly ConversationItem[],
  language: string,
): Outcome | undefined {
  return replay(script, conversation, language).outcome;
}

/** What a rule does with the person's text: ask for a slot, or act because all it needs is known. */
type Move = { rule: ScriptRule; ask?: ScriptSlot };

interface State {
  slots: Map<string, string>;
  /** The rule being filled and the slot that was asked for. */
  open?: { rule: ScriptRule; asked: ScriptSlot } | undefined;
  /** Rules that acted; their slots are stale when they are opened again. */
  done: Set<ScriptRule>;
  /** The rule of the agent's last turn. */
  previous?: ScriptRule | undefined;
  /** What the last text of the person led to; absent when no rule knew an answer. */
  move?: Move | undefined;
  outcome?: Outcome;
}

interface Turn {
  script: CompiledScript;
  state: State;
  language: string;
  tools: readonly ToolShape[];
}

function replay(script: CompiledScript, conversation: readonly ConversationItem[], language: string): State {
  const state: State = { slots: new Map(), done: new Set() };
  for (const item of conversation) {
    if ('role' in item && item.role === 'user') hear(script, state, item.text, language);
    else if ('result' in item) noteOutcome(state, item.result.ok);
  }
  return state;
}

function noteOutcome(state: State, ok: boolean): void {
  const rule = state.move?.rule;
  if (ok && rule?.call && rule.outcome) state.outcome = rule.outcome;
}

function hear(script: CompiledScript, state: State, text: string, language: string): void {
  const move = answerOf(state, text) ?? openedBy(script, state, text, language) ?? askedAgain(state);
  state.move = move;
  state.previous = move?.rule;
  state.open = move?.ask ? { rule: move.rule, asked: move.ask } : undefined;
  if (!move || move.ask) return;
  state.done.add(move.rule);
  if (!move.rule.call && move.rule.outcome) state.outcome = move.rule.outcome;
}

/** The text as an answer to the open question, or undefined when it is none. */
function answerOf(state: State, text: string): Move | undefined {
  if (!state.open) return undefined;
  const { rule, asked } = state.open;
  const value = slotValue(asked, text, asked.pattern);
  if (value === undefined) return undefined;
  state.slots.set(asked.name, value);
  learnNamed(state, rule, text);
  return moveOf(rule, state);
}

function openedBy(script: CompiledScript, state: State, text: string, language: string): Move | undefined {
  const rule = script.rules.find((candidate) => holds(candidate, state, text, language));
  if (!rule) return undefined;
  if (state.done.delete(rule)) for (const slot of rule.needs) state.slots.delete(slot.name);
  for (const pattern of rule.when) learn(state, matchPattern(pattern, text)?.groups ?? {});
  learnNamed(state, rule, text);
  return moveOf(rule, state);
}

const askedAgain = ({ open }: State): Move | undefined => open && { rule: open.rule, ask: open.asked };

function moveOf(rule: ScriptRule, state: State): Move {
  const missing = rule.needs.find((slot) => !state.slots.has(slot.name));
  return missing ? { rule, ask: missing } : { rule };
}

function holds(rule: ScriptRule, state: State, text: string, language: string): boolean {
  if (rule.language !== undefined && !sameLanguage(rule.language, language)) return false;
  if (rule.after !== undefined && state.previous?.name !== rule.after) return false;
  if (rule.when.length === 0) return rule.after !== undefined;
  return rule.when.some((pattern) => matchPattern(pattern, text) !== undefined);
}

function sameLanguage(ruleLanguage: string, language: string): boolean {
  const wanted = ruleLanguage.toLowerCase();
  const spoken = language.toLowerCase();
  return wanted === spoken || wanted === spoken.split('-')[0];
}

function learn(state: State, groups: Record<string, string>): void {
  for (const [name, value] of Object.entries(groups)) state.slots.set(name, value.trim());
}

/** Slots that were not asked for yet, from patterns that name them. */
function learnNamed(state: State, rule: ScriptRule, text: string): void {
  for (const slot of rule.needs) {
    if (state.slots.has(slot.name)) continue;
    const value = slotValue(
      slot,
      text,
      slot.pattern.filter((pattern) => findsAnywhere(pattern, slot.name)),
    );
    if (value !== undefined) state.slots.set(slot.name, value);
  }
}

function slotValue(slot: ScriptSlot, text: string, patterns: readonly string[]): string | undefined {
  for (const pattern of patterns) {
    const match = matchPattern(pattern, text);
    const value = (match?.groups[slot.name] ?? match?.first)?.trim();
    if (value) return value;
  }
  return undefined;
}

function take(turn: Turn, { rule, ask }: Move): Step {
  const { state, language, tools } = turn;
  if (ask) return { say: words(turn, ask.ask) };
  if (!rule.call) return spoken(turn, rule);
  const { tool, arguments: templates } = rule.call;
  const parameters = tools.find(({ name }) => name === tool)?.parameters;
  return { call: { tool, arguments: fillArguments(templates, { slots: withLanguage(state, language) }, parameters) } };
}

/** `{{language}}` can be used like a slot. */
const withLanguage = (state: State, language: string) => new Map([['language', language], ...state.slots]);

const spoken = (turn: Turn, rule: ScriptRule, result?: unknown): Step => ({
  say: words(turn, rule.say, result),
  ...(rule.end && { end: true }),
});

function afterResult(turn: Turn, tool: string | undefined, result: { ok: boolean; output: unknown }): Step {
  if (tool === 'end_call') return { say: '' };
  const rule = callerOf(turn, tool);
  if (!rule) return { say: fallbackText(turn) };
  const output = parsed(result.output);
  return result.ok ? spoken(turn, rule, output) : { say: words(turn, rule.failed, output) };
}

/** A conversation may have been begun by another model: then any rule with this tool knows what to say. */
function callerOf({ script, state }: Turn, tool: string | undefined): ScriptRule | undefined {
  const rule = state.move?.rule;
  if (rule?.call?.tool === tool) return rule;
  return script.rules.find((candidate) => candidate.call !== undefined && candidate.call.tool === tool);
}

const lastCall = (conversation: readonly ConversationItem[]): string | undefined =>
  conversation.findLast((item) => 'call' in item)?.call.tool;

/** Tools answer JSON as text, and the framework makes JSON of that once more. */
function parsed(output: unknown, depth = 2): unknown {
  if (typeof output !== 'string' || depth === 0) return output;
  try {
    return parsed(JSON.parse(output), depth - 1);
  } catch {
    return output;
  }
}

/** Never empty: a person who gets no answer cannot tell whether anybody is there. */
function words(turn: Turn, texts: Readonly<Record<string, string>>, result?: unknown): string {
  const template = inLanguage(texts, turn.language) ?? '';
  const said = fill(template, { slots: withLanguage(turn.state, turn.language), result }).trim();
  return said || fallbackText(turn);
}

const fallbackText = ({ script, state, language }: Turn): string =>
  fill(inLanguage(script.fallback, language) ?? '', { slots: withLanguage(state, language) }).trim() || '…';
