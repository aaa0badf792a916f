import type { CompiledAgent } from './compiled.ts';

/** What a prompt may use, as `{{name}}`. */
export const promptVariables = ['now', 'date', 'timezone', 'language', 'channel'] as const;

export interface InstructionValues {
  now: Date;
  /** Code of the session's language. */
  language: string;
  channel: 'phone' | 'widget' | 'api';
  /** Whether the person hears the answers; absent: they read them. */
  isSpoken?: boolean;
  /** What the agent is told of this one call, by name. */
  callVariables?: Readonly<Record<string, string>>;
  /** Replaces the agent's prompt in this session; the knowledge stays. */
  systemPrompt?: string;
}

/** Models write for readers unless they are told otherwise: lists, headings, addresses. */
const spokenStyle =
  'You are heard, not read. Speak as people do on the telephone: a few short sentences at a time, no lists, headings, tables, Markdown, emoji or web addresses, and numbers, dates and times as they are said.';

/**
 * The instructions of one session: the prompt with its variables filled in, the language to speak and the knowledge. What is
 * the same in every session comes before the time of day, because providers keep what they have read of a prompt up to its
 * first difference. Pure.
 */
export function renderInstructions(agent: CompiledAgent, values: InstructionValues): string {
  const name = languageName(agent, values.language);
  const prompt = values.systemPrompt ?? agent.prompt;
  const knowledge = agent.knowledge === '' ? [] : [`What you know:\n\n${agent.knowledge}`];
  const filled = fillVariables(prompt, variablesOf(agent, values));
  const language = `Answer in ${name} (${values.language}) unless you are asked for another language that you may use.`;
  const parts = changesByTheMinute(prompt) ? [...knowledge, filled, language] : [filled, language, ...knowledge];
  return [...parts, ...(values.isSpoken ? [spokenStyle] : [])].join('\n\n');
}

const changesByTheMinute = (prompt: string): boolean => /\{\{\s*now\s*\}\}/u.test(prompt);

function variablesOf(
  agent: CompiledAgent,
  { now, language, channel, callVariables = {} }: InstructionValues,
): Record<string, string> {
  const { timezone } = agent;
  const shown = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...options }).format(now);
  const date = shown({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const time = shown({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return {
    ...valuesOfCall(agent, callVariables),
    ...{ now: `${date}, ${time}`, date, timezone, language: languageName(agent, language), channel },
  };
}

const languageName = (agent: CompiledAgent, code: string): string =>
  agent.languages.find((language) => language.code.toLowerCase() === code.toLowerCase())?.name ?? code;

/** Of each variable that calls of this agent may have, its value in one call: blank where it has none. */
export const valuesOfCall = (
  { callVariables = [] }: Pick<CompiledAgent, 'callVariables'>,
  given: Readonly<Record<string, string>>,
): Record<string, string> => Object.fromEntries(callVariables.map((name) => [name, given[name] ?? '']));

/** The text with `{{name}}` replaced by values; what has none stays as it is. */
export const fillVariables = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{\s*([a-z]+)\s*\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
