import type { BuiltinTool } from '../../agent-files/builtin-tools/registry.ts';
import type { CompiledAgent, ScriptRule } from '../../agent-files/definition/compiled.ts';
import { type EndReason, ends } from '../../contract/end-reasons.ts';
import type { Outcome } from '../../contract/session.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';
import type { Notes } from './notes.ts';

export interface Conversed {
  endReason: EndReason | null;
  lines: readonly Pick<MessageRow, 'role' | 'content'>[];
  toolCalls: readonly Pick<ToolCallRow, 'name' | 'status'>[];
  definition: Pick<CompiledAgent, 'tools' | 'script'> | undefined;
  notes?: Notes;
  /** What the agent said is not known. */
  isOneSided?: boolean;
}

const goodbye = /\b(?:good ?bye|bye|see you|take care|tschüss|tschüß|auf wiedersehen|ciao|schönen tag)(?!\p{L})/iu;

const howItEnded = (reason: EndReason | null) => (reason ? ends[reason].how : undefined);

/** What is certain without understanding a word: undefined when it takes more than that. */
export function certainOutcome({ endReason, lines, toolCalls, definition }: Conversed): Outcome | undefined {
  if (howItEnded(endReason) === 'failed') return 'failed';
  const hasDone = (builtin: BuiltinTool) =>
    toolCalls.some(
      ({ status, name }) =>
        status === 'ok' && definition?.tools.find((tool) => tool.name === name)?.builtin === builtin,
    );
  if (hasDone('transfer')) return 'transferred';
  // What was heard is a machine's.
  if (hasDone('answering_machine')) return 'no_input';
  return lines.some((line) => line.role === 'USER') ? undefined : 'no_input';
}

/** The outcome by rules. A scripted rule that names an outcome is recognised by what it said; the last one counts. */
export function outcomeByRules(conversed: Conversed): Outcome {
  const known = certainOutcome(conversed) ?? scriptedOutcome(conversed);
  if (known) return known;
  const { endReason, lines, toolCalls, definition, isOneSided = false } = conversed;
  const builtins = new Set(definition?.tools.filter((tool) => tool.builtin).map((tool) => tool.name));
  const work = toolCalls.filter((call) => !builtins.has(call.name));
  const last = work.at(-1)?.status;
  const saidGoodbye = endReason === 'agent_ended' || lines.slice(-2).some((line) => goodbye.test(line.content));
  if (last === 'ok' && saidGoodbye) return 'resolved';
  const isUnanswered = !isOneSided && lines.at(-1)?.role === 'USER';
  const isLeftOpen = last === 'failed' || last === 'unknown' || howItEnded(endReason) === 'cut_short' || isUnanswered;
  return isLeftOpen ? 'unresolved' : 'unknown';
}

function scriptedOutcome({ lines, definition }: Conversed): Outcome | undefined {
  const rules = definition?.script?.rules.filter((rule) => rule.outcome !== undefined) ?? [];
  const said = lines.filter((line) => line.role === 'ASSISTANT').map((line) => line.content.trim());
  return said
    .map((text) => rules.findLast((rule) => saysExactly(rule, text))?.outcome)
    .findLast((outcome) => outcome !== undefined);
}

/** Texts that are little more than placeholders could have said anything. */
const leastFixedText = 8;

/** Whether the text is one of the rule's, whatever its placeholders were filled with. Linear: literal pieces in order. */
function saysExactly({ say }: ScriptRule, text: string): boolean {
  return Object.values(say).some((template) => {
    const pieces = template.trim().split(/\{\{[^{}]*\}\}/u);
    if (pieces.join('').length < leastFixedText) return false;
    return fits(pieces, text);
  });
}

function fits(pieces: readonly string[], text: string): boolean {
  const [head = '', ...rest] = pieces;
  const tail = rest.pop();
  if (tail === undefined) return text === head;
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return from <= text.length - tail.length;
}
