import { ends } from '../../contract/end-reasons.ts';
import type { Notes } from './notes.ts';
import type { Conversed } from './outcome.ts';
import { plainLine } from './plain-text.ts';

const quotedLength = 160;
const namedTools = 5;

/** A few honest sentences made from the turns, without understanding them. */
export function summaryByRules({ endReason, lines, toolCalls, notes }: Conversed): string {
  const texts = lines.filter((line) => line.role === 'USER').map((line) => plainLine(line.content, quotedLength));
  return [beginning(texts), tools(toolCalls), noted(notes), endReason ? ends[endReason].inSummary : '']
    .filter(Boolean)
    .join(' ');
}

function beginning(texts: readonly string[]): string {
  const [first, ...others] = texts;
  if (first === undefined) return 'The person said nothing.';
  if (others.length === 0) return `The person said: “${first}”.`;
  return `The person said ${texts.length} things, first “${first}”, last “${others.at(-1)}”.`;
}

export function noted(notes: Notes | undefined): string {
  if (!notes || notes.size === 0) return '';
  return `The agent noted ${[...notes].map(([name, value]) => `${name}: “${value}”`).join(', ')}.`;
}

function tools(toolCalls: Conversed['toolCalls']): string {
  const named = [...new Set(toolCalls.map(({ name, status }) => (status === 'ok' ? name : `${name} (${status})`)))];
  if (named.length === 0) return '';
  const more = named.length > namedTools ? ' and others' : '';
  return `The agent used ${named.slice(0, namedTools).join(', ')}${more}.`;
}
