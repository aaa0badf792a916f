/** What changed between two versions of an agent, in words that a reviewer reads. Pure. */
import { estimateTokens } from '../check/agent.ts';
import { canonicalJson } from '../compile/hash.ts';
import type { CompiledAgent, CompiledLanguage, CompiledTool } from '../definition/compiled.ts';
import { type DiffLine, diffLines } from './line-diff.ts';

export interface Change {
  /** What it is about: `prompt`, `tools`, `limits`, … */
  subject: string;
  /** One plain sentence without a full stop. */
  text: string;
  /** For texts: what was removed and added. */
  lines?: DiffLine[];
}

/** Equal agents give nothing, and agents that differ anywhere give something. In the order in which a reviewer asks. */
export function diffAgents(before: CompiledAgent, after: CompiledAgent): Change[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  const changes = [
    ...textChange('prompt', before.prompt, after.prompt),
    ...textChange('knowledge', before.knowledge, after.knowledge),
    ...costChanges(before, after),
    ...listChanges('tools', before.tools, after.tools, toolWords),
    ...listChanges('languages', before.languages, after.languages, languageWords),
    ...fieldChanges('model', modelsOf(before), modelsOf(after)),
    ...fieldChanges('limits', limitsOf(before), limitsOf(after)),
    ...textChange('script', pretty(before.script), pretty(after.script)),
    ...fieldChanges('settings', settingsOf(before), settingsOf(after)),
    ...fieldChanges('other', restOf(before), restOf(after)),
  ];
  return changes.length > 0 ? changes : [{ subject: 'other', text: 'the shape of a value changed, not what it says' }];
}

/** The subjects that changed, each once: `prompt, tools`. */
export const subjectsOf = (changes: readonly Change[]): string =>
  [...new Set(changes.map(({ subject }) => subject))].join(', ');

function textChange(subject: string, before: string, after: string): Change[] {
  const lines = diffLines(before, after);
  if (lines.length === 0) return [];
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length;
  return [{ subject, text: `${plural(count('removed'), 'line')} removed, ${count('added')} added`, lines }];
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** What every turn sends to the model: prompt, knowledge and the descriptions of the tools; four characters a token. */
export const instructionTokens = ({ prompt, knowledge, tools }: CompiledAgent): number =>
  estimateTokens(prompt) +
  estimateTokens(knowledge) +
  tools.reduce(
    (sum, { name, description, parameters }) => sum + estimateTokens(canonicalJson({ name, description, parameters })),
    0,
  );

function costChanges(before: CompiledAgent, after: CompiledAgent): Change[] {
  const [was, is] = [instructionTokens(before), instructionTokens(after)];
  if (was === is) return [];
  const share = was === 0 ? '' : `, ${signed(Math.round(((is - was) / was) * 100))} %`;
  return [
    {
      subject: 'cost',
      text: `about ${is} tokens of instructions in every turn, before ${was} (${signed(is - was)}${share})`,
    },
  ];
}

const signed = (number: number): string => (number > 0 ? `+${number}` : String(number));

interface ItemWords<Item> {
  noun: string;
  keyOf(item: Item): string;
  /** Said of an item that was added. */
  tell(item: Item): string;
}

const toolWords: ItemWords<CompiledTool> = {
  noun: 'tool',
  keyOf: ({ name }) => name,
  tell: ({ http, builtin, description }) => {
    if (builtin !== undefined) return `built in: ${description}`;
    if (http === undefined) return `answered by the client: ${description}`;
    return `${http.method} ${typeof http.url === 'string' ? http.url : `$${http.url.env}${http.url.path}`}: ${description}`;
  },
};

const languageWords: ItemWords<CompiledLanguage> = {
  noun: 'language',
  keyOf: ({ code }) => code,
  tell: ({ name, voices }) => `${name}, ${plural(voices.length, 'voice')}`,
};

/** Items by their key: added, removed, changed field by field, or only in another order. */
function listChanges<Item>(
  subject: string,
  before: readonly Item[],
  after: readonly Item[],
  { noun, keyOf, tell }: ItemWords<Item>,
): Change[] {
  const [was, is] = [byKey(before, keyOf), byKey(after, keyOf)];
  const changes = [
    ...[...was.keys()].filter((key) => !is.has(key)).map((key) => ({ subject, text: `${noun} ${key} removed` })),
    ...[...is].flatMap(([key, item]) => {
      const old = was.get(key);
      if (old === undefined) return [{ subject, text: `${noun} ${key} added (${tell(item)})` }];
      return fieldChanges(subject, old, item).map(({ text }) => ({ subject, text: `${noun} ${key}: ${text}` }));
    }),
  ];
  const isReordered = changes.length === 0 && canonicalJson(before) !== canonicalJson(after);
  return isReordered ? [{ subject, text: `in another order: ${[...is.keys()].join(', ')}` }] : changes;
}

/** A key that comes twice counts up, so that nothing is lost. */
function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item> {
  const map = new Map<string, Item>();
  for (const item of items) {
    const key = keyOf(item);
    let free = key;
    for (let n = 2; map.has(free); n += 1) free = `${key} (${n})`;
    map.set(free, item);
  }
  return map;
}

/** Leaf by leaf: `limits.turns: 40 → 60`. */
function fieldChanges(subject: string, before: unknown, after: unknown): Change[] {
  const [was, is] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((path) => {
    const [old, now] = [was.get(path), is.get(path)];
    if (old !== undefined && now !== undefined && canonicalJson(old) === canonicalJson(now)) return [];
    const name = path === '' ? 'value' : path;
    if (old === undefined) return [{ subject, text: `${name} is now ${shown(path, now)}` }];
    if (now === undefined) return [{ subject, text: `${name} is no longer set (it was ${shown(path, old)})` }];
    return [{ subject, text: `${name}: ${shown(path, old)} → ${shown(path, now)}` }];
  });
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Values by dotted path; lists of plain values and empty maps are leaves. */
function leavesOf(value: unknown, path = ''): Map<string, unknown> {
  const parts = isMap(value)
    ? Object.entries(value)
    : Array.isArray(value) && value.some(isMap)
      ? [...value.entries()]
      : [];
  if (parts.length === 0) return new Map(value === undefined ? [] : [[path, value]]);
  return new Map(parts.flatMap(([key, part]) => [...leavesOf(part, path === '' ? String(key) : `${path}.${key}`)]));
}

const maxShown = 160;

function shown(path: string, value: unknown): string {
  if (/Ms$/.test(path) && typeof value === 'number') return `${value / 1000} s`;
  const text = typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)}… (${text.length} characters)` : text;
}

const modelsOf = ({ model, modelFallbacks, realtime, voiceAgentKind }: CompiledAgent) => ({
  ...model,
  ...(modelFallbacks.length > 0 && { fallbacks: modelFallbacks }),
  ...(realtime && { realtime }),
  voiceAgentKind,
});

const limitsOf = ({ limits, context, settings }: CompiledAgent) => ({ ...limits, context, ...settings.caps });

const settingsOf = ({ settings: { caps: _, ...settings } }: CompiledAgent) => settings;

const pretty = (value: unknown): string =>
  value === undefined ? '' : JSON.stringify(JSON.parse(canonicalJson(value)), undefined, 1);

/** Whatever has no place above, fields that do not exist yet included: a difference is never passed over. */
function restOf(agent: CompiledAgent) {
  const { prompt: _1, knowledge: _2, tools: _3, languages: _4, model: _5, modelFallbacks: _6, ...more } = agent;
  const { realtime: _7, voiceAgentKind: _8, limits: _9, context: _10, settings: _11, script: _12, ...rest } = more;
  return rest;
}
