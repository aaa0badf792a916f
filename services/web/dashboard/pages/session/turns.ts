import { asItHappened } from '../../../../contract/as-it-happened.ts';
import type { Message, ToolCall } from '../../account/account-api.ts';

export type Line = { kind: 'message'; at: string; message: Message } | { kind: 'tool'; at: string; call: ToolCall };

/** What was said and done, in the order in which it happened; at the same moment a tool comes before the words that tell of it. */
export function linesOf(messages: readonly Message[], toolCalls: readonly ToolCall[]): Line[] {
  const lines: Line[] = [
    ...toolCalls.map((call) => ({ kind: 'tool' as const, at: call.startedAt, call })),
    ...messages.map((message) => ({ kind: 'message' as const, at: message.at, message })),
  ];
  // Nobody is told where a call was stored.
  return asItHappened(lines, (line) => ({
    turn: line.kind === 'tool' ? 0 : line.message.turn,
    at: new Date(line.at),
  }));
}

/** How long each answer took before its first word or sound, in milliseconds, from the fastest. */
export const waits = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ timing }) => waitOf(timing) ?? []).sort((one, other) => one - other);

/** From the person's end to the answer's first sound, or its first word where it is written. */
export function waitOf(timing: Message['timing']): number | undefined {
  const begun = timing?.firstSound ?? timing?.firstToken;
  return timing && begun !== undefined ? (timing.endpointing ?? 0) + (timing.recognition ?? 0) + begun : undefined;
}

/** The middle one; of an even number the lower. */
export const middle = (sorted: readonly number[]): number | undefined => sorted[Math.floor((sorted.length - 1) / 2)];
