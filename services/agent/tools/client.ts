import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { hintOf, readAnswer } from './answer.ts';
import { failed, seconds, type ToolMiss, type ToolResult, unknown } from './result.ts';

/** What is asked of the person's application, addressed to it alone. */
export interface PersonQuestion {
  /** The tool's name: the method under which the application has registered what answers it. */
  method: string;
  payload: string;
  timeoutMs: number;
}

/** @throws PersonFault */
export type AskPerson = (question: PersonQuestion) => Promise<string>;

/**
 * - `absent`: nobody took the question.
 * - `no_handler`: the application answers no such tool.
 * - `timeout`, `lost` (our own connection).
 * - `too_long`, `answer_too_long`: more than the room carries at once.
 * - `refused`: the application said no; the message is its own.
 * - `failed`: the application broke.
 */
export type PersonFaultKind =
  | 'absent'
  | 'no_handler'
  | 'timeout'
  | 'lost'
  | 'too_long'
  | 'answer_too_long'
  | 'refused'
  | 'failed';

export class PersonFault extends Error {
  override readonly name = 'PersonFault';
  readonly kind: PersonFaultKind;

  constructor(kind: PersonFaultKind, message: string = kind) {
    super(message);
    this.kind = kind;
  }
}

/**
 * What every client can carry in either direction: the room's older way of calling ends at 15 KiB, and which way is used
 * depends on how long the agent has known the person.
 */
const mostBytes = 15_000;

/**
 * Asks the person's application. It is given `{"callId", "arguments"}` as JSON and answers with JSON or text. Does not throw:
 * what went wrong is a sentence for the model.
 */
export async function runClientTool(
  ask: AskPerson,
  tool: CompiledTool,
  { args, callId }: { args: Readonly<Record<string, unknown>>; callId: string },
): Promise<ToolResult> {
  const payload = JSON.stringify({ callId, arguments: args });
  if (Buffer.byteLength(payload) > mostBytes) return missOf(tool, new PersonFault('too_long'));
  try {
    const answer = Buffer.from(await ask({ method: tool.name, payload, timeoutMs: tool.timeoutMs }));
    const truncated = answer.length > mostBytes;
    return readAnswer(
      { bytes: answer.subarray(0, mostBytes), truncated },
      unknown(`The person's application answered ${tool.name} with something that cannot be read.`),
    );
  } catch (error) {
    return missOf(tool, error instanceof PersonFault ? error : new PersonFault('failed'));
  }
}

function missOf(tool: CompiledTool, { kind, message }: PersonFault): ToolMiss {
  const { name, timeoutMs } = tool;
  switch (kind) {
    case 'absent':
      return unknown(`The person's application could not be reached for ${name}; they may have gone.`);
    case 'no_handler':
      return failed(`The person's application cannot do ${name}, so it did not run.`);
    case 'timeout':
      return unknown(`The person's application did not answer ${name} within ${seconds(timeoutMs)}.`);
    case 'lost':
      return unknown(`The connection was lost while ${name} ran.`);
    case 'too_long':
      return failed(
        `The arguments for ${name} are too long for the person's application, so it did not run. Shorten them.`,
      );
    case 'answer_too_long':
      return unknown(`The person's application answered ${name} with more than it can send.`);
    case 'refused':
      return failed(`The person's application refused ${name}: ${hintOf(message) || 'it gave no reason.'}`);
    case 'failed':
      return unknown(`The person's application failed at ${name}.`);
    default:
      return kind satisfies never;
  }
}
