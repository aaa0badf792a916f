import { durationMs } from '../../contract/durations.ts';
import type {
  AgentFile,
  FallbackModel,
  Filler,
  Language,
  Limits,
  LocalizedText,
  Model,
  Phone,
  Rule,
  Script,
  Slot,
  Speech,
  Widget,
  WidgetTexts,
} from '../../contract/generated/agent.ts';
import type { Keypad, ToolFile } from '../../contract/generated/tool.ts';
import type { WidgetSettings } from '../../contract/widget.ts';
import { isBuiltinTool } from '../builtin-tools/registry.ts';
import { builtinTool } from '../definition/builtin-tool.ts';
import type {
  AgentSettings,
  AgentVersion,
  CompiledAgent,
  CompiledFiller,
  CompiledKeypad,
  CompiledLanguage,
  CompiledLimits,
  CompiledModel,
  CompiledScript,
  CompiledSpeech,
  CompiledTool,
  ScriptRule,
  ScriptSlot,
} from '../definition/compiled.ts';
import { builtInLines } from '../definition/lines.ts';
import { hashOf } from './hash.ts';

/** An agent's files after validation: defaults filled in, references known to exist. */
export interface AgentSource {
  /** The file's name without `.yaml`. */
  agent: string;
  file: AgentFile;
  /** By name; at least those that the agent names and that are not built in. */
  tools: ReadonlyMap<string, ToolFile>;
  /** Text by file name; at least those that the agent names. */
  knowledge: ReadonlyMap<string, string>;
}

/** Pure: equal files give an equal agent. Throws when a reference is missing, which validation reports beforehand. */
export function compileAgent({ agent, file, tools, knowledge }: AgentSource): CompiledAgent {
  const codes = file.languages.map((language) => language.code);
  return {
    schemaVersion: 1,
    agent,
    name: file.name,
    voiceAgentKind: file.voiceAgentKind,
    interactionMode: file.interactionMode,
    prompt: file.prompt.trim(),
    knowledge: file.knowledge.map((name) => required(knowledge, name).trim()).join('\n\n'),
    timezone: file.timezone,
    languages: file.languages.map(compileLanguage),
    defaultLanguage: spelledAs(codes, file.defaultLanguage ?? codes[0] ?? ''),
    model: compileModel(file.model),
    modelFallbacks: file.model.fallbacks.map(compileModel),
    ...(file.script && { script: compileScript(file.script, codes) }),
    tools: file.tools.map((name) =>
      isBuiltinTool(name)
        ? builtinTool(name, { languages: codes, collect: file.collect, transfers: file.phone?.transfers })
        : compileTool(required(tools, name)),
    ),
    limits: compileLimits(file.limits),
    context: { maxTokens: file.context.maxTokens, rule: file.context.rule },
    retentionMs: durationMs(file.retention),
    speech: compileSpeech(file.speech, codes),
    ...(file.filler && { filler: compileFiller(file.filler, codes) }),
    summary: file.summary,
    ...(file.realtime && { realtime: file.realtime }),
    ...callVariables(file),
    ...machineMessage(file, codes),
    ...compileTransfers(file, codes),
    settings: compileSettings(file, codes),
  };
}

/** The agent with its hash, as it is stored. */
export function compileVersion(source: AgentSource): AgentVersion {
  const agent = compileAgent(source);
  return { hash: hashOf(agent), agent };
}

/** The configured spelling of a language code, which compares without case. */
const spelledAs = (codes: readonly string[], given: string): string =>
  codes.find((code) => code.toLowerCase() === given.toLowerCase()) ?? given;

function required<Value>(values: ReadonlyMap<string, Value>, name: string): Value {
  const value = values.get(name);
  if (value === undefined) throw new Error(`The agent names ${name}, which is not there.`);
  return value;
}

function compileLanguage({ lines, ...language }: Language): CompiledLanguage {
  const { modelUnavailable, tooManyMessages, limitReached } = builtInLines(language.code);
  return { ...language, lines: { modelUnavailable, tooManyMessages, limitReached, ...lines } };
}

/** Of a model that names none. Who writes sees that the agent thinks; who speaks hears nothing. */
const usualTimeouts = { timeoutMs: 30_000, spokenTimeoutMs: 7_000 };

function compileModel(model: Model | FallbackModel): CompiledModel {
  const { timeout, fallbacks: _, ...rest } = { fallbacks: [], ...model };
  return { ...rest, ...(timeout === undefined ? usualTimeouts : { timeoutMs: durationMs(timeout) }) };
}

export function compileTool({ timeout, keypad, ...tool }: ToolFile): CompiledTool {
  const compiled = { ...tool, timeoutMs: durationMs(timeout) };
  // Nobody types it again after a crash.
  return keypad ? { ...compiled, idempotent: false, keypad: compileKeypad(keypad) } : compiled;
}

const compileKeypad = ({ timeout, say, least, ...keypad }: Keypad): CompiledKeypad => ({
  ...keypad,
  least: least ?? keypad.digits,
  timeoutMs: durationMs(timeout),
  ...(say !== undefined && { say: typeof say === 'string' ? { '*': say } : say }),
});

function compileLimits(limits: Limits): CompiledLimits {
  return {
    joinTimeoutMs: durationMs(limits.joinTimeout),
    reconnectGraceMs: durationMs(limits.reconnectGrace),
    idleTimeoutMs: durationMs(limits.idleTimeout),
    maxDurationMs: durationMs(limits.maxDuration),
    turns: limits.turns,
    tokens: limits.tokens,
    textLength: limits.textLength,
    textsWaiting: limits.textsWaiting,
    textsPerMinute: limits.textsPerMinute,
    toolCallsPerTurn: limits.toolCallsPerTurn,
    equalToolCalls: limits.equalToolCalls,
  };
}

function callVariables({ phone }: AgentFile): Pick<CompiledAgent, 'callVariables'> {
  const names = Object.keys(phone?.outbound?.variables ?? {});
  return names.length === 0 ? {} : { callVariables: names };
}

function machineMessage({ phone }: AgentFile, codes: readonly string[]): Pick<CompiledAgent, 'machineMessage'> {
  const message = phone?.outbound?.message;
  return message === undefined ? {} : { machineMessage: byLanguage(message, codes) };
}

function compileTransfers({ phone }: AgentFile, codes: readonly string[]): Pick<CompiledAgent, 'transfers'> {
  if (!phone?.transfers) return {};
  const transfers = Object.entries(phone.transfers).map(([name, { number, say }]) => {
    return [name, { number, ...(say !== undefined && { say: byLanguage(say, codes) }) }];
  });
  return { transfers: Object.fromEntries(transfers) };
}

const withoutTransfers = ({ transfers: _, ...phone }: Phone): Omit<Phone, 'transfers'> => phone;

function compileSettings(
  { allowedOrigins, webhook, phone, widget, sessions, limits }: AgentFile,
  codes: readonly string[],
): AgentSettings {
  return {
    ...(allowedOrigins && { allowedOrigins: allowedOrigins.map((origin) => origin.toLowerCase()) }),
    ...(webhook && { webhook }),
    ...(phone && { phone: withoutTransfers(phone) }),
    ...(widget && { widget: compileWidget(widget, codes) }),
    sessions,
    caps: {
      concurrentSessions: limits.concurrentSessions,
      minutesPerMonth: limits.minutesPerMonth,
      tokensPerDay: limits.tokensPerDay,
      unjoinedSessions: limits.unjoinedSessions,
      requestsPerMinute: limits.requestsPerMinute,
      minutesPerDay: limits.minutesPerDay,
      toolCallsPerDay: limits.toolCallsPerDay,
      fleetShare: limits.fleetShare,
      visitor: limits.visitor,
      unsigned: limits.unsigned,
    },
  };
}

const compileWidget = (
  { language, greeting, consent, texts, ...widget }: Widget,
  codes: readonly string[],
): WidgetSettings => ({
  ...widget,
  ...(language !== undefined && { language: spelledAs(codes, language) }),
  ...(greeting !== undefined && { greeting: byLanguage(greeting, codes) }),
  ...(consent !== undefined && { consent: byLanguage(consent, codes) }),
  ...(texts && { texts: textsByLanguage(texts, codes) }),
});

const textsByLanguage = (texts: WidgetTexts, codes: readonly string[]) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, byLanguage(text, codes)]));

function compileSpeech({ recognition, synthesis, ...speech }: Speech, codes: readonly string[]): CompiledSpeech {
  const { interruption, endpointing, idlePrompt, filler } = speech;
  return {
    recognition: recognition.map((declared) => onlyIn(declared, codes)),
    synthesis: synthesis.map((declared) => onlyIn(declared, codes)),
    interruption: {
      enabled: interruption.enabled,
      minDurationMs: durationMs(interruption.minDuration),
      minWords: interruption.minWords,
    },
    endpointing: { minSilenceMs: durationMs(endpointing.minSilence), maxDelayMs: durationMs(endpointing.maxDelay) },
    ...(!speech.preemptiveGeneration && { preemptiveGeneration: false as const }),
    ...(idlePrompt && {
      idlePrompt: {
        afterMs: durationMs(idlePrompt.after),
        times: idlePrompt.times,
        say: byLanguage(idlePrompt.say, codes),
      },
    }),
    ...(filler && { filler: compileFiller(filler, codes) }),
  };
}

const compileFiller = ({ after, say }: Filler, codes: readonly string[]): CompiledFiller => ({
  afterMs: durationMs(after),
  say: byLanguage(say, codes),
});

const onlyIn = <Declared extends { languages?: string[] }>(declared: Declared, codes: readonly string[]): Declared =>
  declared.languages ? { ...declared, languages: declared.languages.map((code) => spelledAs(codes, code)) } : declared;

const compileScript = ({ rules, fallback }: Script, codes: readonly string[]): CompiledScript => ({
  rules: rules.map((rule) => compileRule(rule, codes)),
  fallback: byLanguage(fallback, codes),
});

function compileRule(rule: Rule, codes: readonly string[]): ScriptRule {
  return {
    when: listOf(rule.when ?? []),
    ...(rule.language && { language: spelledAs(codes, rule.language) }),
    ...(rule.after && { after: rule.after }),
    ...(rule.name && { name: rule.name }),
    needs: rule.needs.map((slot) => compileSlot(slot, codes)),
    ...(rule.call && { call: rule.call }),
    say: byLanguage(rule.say, codes),
    failed: rule.failed ? byLanguage(rule.failed, codes) : apologies(codes),
    end: rule.end,
    ...(rule.outcome && { outcome: rule.outcome }),
  };
}

const compileSlot = ({ name, pattern, ask }: Slot, codes: readonly string[]): ScriptSlot => ({
  name,
  pattern: listOf(pattern),
  ask: byLanguage(ask, codes),
});

const listOf = (value: string | readonly string[]): string[] => (typeof value === 'string' ? [value] : [...value]);

function byLanguage(text: LocalizedText, codes: readonly string[]): Record<string, string> {
  if (typeof text === 'string') return { '*': text.trim() };
  return Object.fromEntries(Object.entries(text).map(([code, line]) => [spelledAs(codes, code), line.trim()]));
}

const apologies = (codes: readonly string[]): Record<string, string> =>
  Object.fromEntries(['*', ...codes].map((code) => [code, builtInLines(code).toolFailed]));
