/** From a stored conversation to a scenario that goes the same way; pure. */
import type { CompiledAgent } from '../../agent-files/definition/compiled.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';
import { outcomeByRules } from '../finish/outcome.ts';

export interface SourceConversation {
  session: Pick<SessionRow, 'language' | 'end_reason' | 'created_at' | 'started_at'>;
  /** What the host heard and said, in order. */
  messages: readonly Pick<MessageRow, 'sequence' | 'role' | 'content'>[];
  toolCalls: readonly Pick<ToolCallRow, 'turn' | 'name' | 'arguments' | 'status' | 'result'>[];
  /** The version that the conversation was held with. */
  definition: Pick<CompiledAgent, 'defaultLanguage' | 'tools' | 'script'>;
}

export interface DraftTurn {
  say: string;
  expect?: { tool?: string; arguments?: Record<string, unknown>; language?: string };
}

/** A scenario as its file has it, without defaults. */
export interface DraftScenario {
  name: string;
  language: string;
  now: string;
  tools?: Record<string, { result: unknown } | { error: string }>;
  turns: DraftTurn[];
  expect?: { outcome?: string; ended?: boolean };
}

export interface Draft {
  scenario: DraftScenario;
  /** What the agent said after each turn: for the person who finishes the scenario, never compared. */
  replies: string[];
  /** What a scenario cannot say of this conversation. */
  notes: string[];
}

/** The schema's own limits. */
const longestText = 4_000;
const mostTurns = 100;
const longestError = 500;

/** Undefined when the person said nothing. */
export function draftFrom(conversation: SourceConversation, name?: string): Draft | undefined {
  const { session, definition } = conversation;
  const all = turnsOf(conversation);
  const [mocks, contradiction] = mocksOf(conversation, all);
  const kept = all.slice(0, Math.min(contradiction ?? all.length, mostTurns));
  if (kept.length === 0) return undefined;
  const isWhole = kept.length === all.length;
  const began = (session.started_at ?? session.created_at).toISOString();
  const hasSwitched = all.some(({ calls }) => calls.some((call) => call.name === 'switch_language'));
  const scenario: DraftScenario = {
    name: name ?? `it goes as on ${began.slice(0, 10)} at ${began.slice(11, 16)}`,
    language: hasSwitched ? definition.defaultLanguage : session.language,
    now: `${began.slice(0, 19)}Z`,
    ...(Object.keys(mocks).length > 0 && { tools: mocks }),
    turns: kept.map(toTurn),
    ...(isWhole && { expect: wholeExpectation(conversation) }),
  };
  return {
    scenario,
    replies: kept.map(({ replies }) => replies.join(' ')),
    notes: [
      ...(contradiction === undefined
        ? []
        : [`A tool answered otherwise later: it ends before turn ${contradiction + 1}.`]),
      ...(all.length > mostTurns ? [`Of ${all.length} turns only the first ${mostTurns} fit.`] : []),
      ...(hasSwitched ? ['The language was switched: check in which one it begins.'] : []),
      ...kept.flatMap(({ calls }, index) =>
        workOf(calls).length > 1 ? [`In turn ${index + 1} several tools were called; only the first is expected.`] : [],
      ),
    ],
  };
}

interface StoredTurn {
  said: string;
  replies: string[];
  calls: SourceConversation['toolCalls'];
}

function turnsOf({ messages, toolCalls }: SourceConversation): StoredTurn[] {
  const turns: StoredTurn[] = [];
  for (const { role, content, sequence } of messages) {
    if (role === 'USER')
      turns.push({ said: content, replies: [], calls: toolCalls.filter(({ turn }) => turn === sequence) });
    else turns.at(-1)?.replies.push(content);
  }
  return turns;
}

/** These are told by the conversation's end and its language. */
const workOf = (calls: StoredTurn['calls']): StoredTurn['calls'] =>
  calls.filter(({ name }) => name !== 'end_call' && name !== 'switch_language');

function toTurn({ said, calls }: StoredTurn): DraftTurn {
  const [call] = workOf(calls);
  const language = calls.find(({ name, status }) => name === 'switch_language' && status === 'ok')?.arguments.language;
  const expect = {
    ...(call && { tool: call.name, arguments: call.arguments }),
    ...(typeof language === 'string' && { language }),
  };
  return { say: said.slice(0, longestText), ...(Object.keys(expect).length > 0 && { expect }) };
}

/** One answer for each tool, and the turn at which one gave another. Built-in tools answer themselves. */
function mocksOf(
  { definition }: SourceConversation,
  turns: readonly StoredTurn[],
): [NonNullable<DraftScenario['tools']>, number | undefined] {
  const builtin = new Set(definition.tools.filter((tool) => tool.builtin).map((tool) => tool.name));
  const mocks: NonNullable<DraftScenario['tools']> = {};
  for (const [index, { calls }] of turns.entries()) {
    for (const call of calls.filter(({ name }) => !builtin.has(name))) {
      const answer = answerOf(call);
      const before = mocks[call.name];
      if (before && JSON.stringify(before) !== JSON.stringify(answer)) return [mocks, index];
      mocks[call.name] = answer;
    }
  }
  return [mocks, undefined];
}

function answerOf({
  status,
  result,
}: SourceConversation['toolCalls'][number]): { result: unknown } | { error: string } {
  if (status === 'ok') return { result: parsed(result ?? '') };
  return { error: result?.slice(0, longestError) || 'It is not known whether this worked.' };
}

/** Results that were cut to fit are no JSON any more. */
function parsed(result: string): unknown {
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}

/** By the rules that a scenario's outcome is made with, which know two ends only. */
function wholeExpectation({
  session,
  messages,
  toolCalls,
  definition,
}: SourceConversation): NonNullable<DraftScenario['expect']> {
  const ended = session.end_reason === 'agent_ended';
  const outcome = outcomeByRules({
    endReason: ended ? 'agent_ended' : 'participant_left',
    lines: messages,
    toolCalls,
    definition,
  });
  return { ...(outcome !== 'unknown' && { outcome }), ended };
}
