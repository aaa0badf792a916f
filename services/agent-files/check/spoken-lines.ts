import type { AgentFile } from '../../contract/generated/agent.ts';
import type { Finding } from '../faults.ts';

/** Greetings and lines are said as they are written: what looks like a variable would be read out. */
export function checkSpokenLines({ languages }: AgentFile): Finding[] {
  return languages.flatMap(({ greeting, lines }, index) => {
    const path = ['languages', `${index}`];
    return [
      ...variablesIn(greeting, [...path, 'greeting']),
      ...Object.entries(lines).flatMap(([name, line]) => variablesIn(line, [...path, 'lines', name])),
    ];
  });
}

const variablesIn = (text: string | undefined, path: readonly string[]): Finding[] =>
  [...(text ?? '').matchAll(/\{\{[^{}]*\}\}/g)].map(([placeholder]) => ({
    path,
    within: placeholder,
    rule: 'line-variable',
    message: `This text is said as it is written, ${placeholder} included: variables are filled in only in the prompt.`,
  }));
