import type { CompiledAgent } from './compiled.ts';

/** What a prompt may use, as `{{name}}`. */
export const promptVariables = ['now', 'date', 'timezone', 'language', 'channel'] as const;

export interface InstructionValues {
  now: Date;
  /** Code of the session's language. */
  language: string;
  channel: 'phone' | 'widget' | 'api';
  /** Replaces the agent's prompt in this session; the knowledge stays. */
  systemPrompt?: string;
}

/** The instructions of one session: the prompt with its variables filled in, the language to speak and the knowledge. Pure. */
export function renderInstructions(agent: CompiledAgent, values: InstructionValues): string {
  const name = languageName(agent, values.language);
  const parts = [
    fillVariables(values.systemPrompt ?? agent.prompt, variablesOf(agent, values)),
    `Answer in ${name} (${values.language}) unless you are asked for another language that you may use.`,
  ];
  if (agent.knowledge !== '') parts.push(`What you know:\n\n${agent.knowledge}`);
  return parts.join('\n\n');
}

function variablesOf(agent: CompiledAgent, { now, language, channel }: InstructionValues): Record<string, string> {
  const { timezone } = agent;
  const shown = (options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat('en-GB', { timeZone: timezone, ...options }).format(now);
  const date = shown({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
  const time = shown({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return { now: `${date}, ${time}`, date, timezone, language: languageName(agent, language), channel };
}

const languageName = (agent: CompiledAgent, code: string): string =>
  agent.languages.find((language) => language.code.toLowerCase() === code.toLowerCase())?.name ?? code;

const fillVariables = (text: string, values: Record<string, string>): string =>
  text.replace(/\{\{\s*([a-z]+)\s*\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? placeholder) : placeholder,
  );
