import type { TurnTiming } from '../../contract/session.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import type { RollupAddend, RollupKey } from '../../store/tables/rollups.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import type { ToolCallRow } from '../../store/tables/tool-calls.ts';
import {
  bucketName,
  conversationNames,
  durationBoundsSeconds,
  latencyBoundsMs,
  toolNames,
  toPlaces,
} from '../insight/figure-names.ts';

export interface FinishedSession {
  session: SessionRow;
  messages: readonly Pick<MessageRow, 'role' | 'turn' | 'mode' | 'interrupted' | 'timing'>[];
  toolCalls: readonly Pick<ToolCallRow, 'name' | 'status' | 'started_at' | 'finished_at'>[];
}

/** What a conversation adds to the roll-ups. */
export interface Addend {
  key: RollupKey;
  conversation: Record<string, number>;
  /** By the tool's name. */
  tools: Record<string, Record<string, number>>;
}

/** More tools than these in one conversation are not counted by name: a name may be one that a model made up. */
const mostTools = 30;

/** The same as it is stored. */
export const rollupOf = (finished: FinishedSession): RollupAddend => {
  const { key, conversation, tools } = addendOf(finished);
  return {
    key,
    conversation: toPlaces(conversation, conversationNames),
    tools: Object.fromEntries(Object.entries(tools).map(([name, figures]) => [name, toPlaces(figures, toolNames)])),
  };
};

/** What a session that is over adds, from what was stored of it and nothing else: done again it is the same. */
export function addendOf({ session, messages, toolCalls }: FinishedSession): Addend {
  const key = {
    at: session.started_at ?? session.created_at,
    agent: session.agent,
    version: session.version_hash,
    channel: session.channel,
    language: session.language,
    mode: session.interaction_mode,
  };
  if (!session.started_at) return { key, conversation: { unjoined: 1 }, tools: {} };
  return { key, conversation: conversationFigures(session, messages), tools: toolFigures(toolCalls) };
}

function conversationFigures(session: SessionRow, messages: FinishedSession['messages']): Record<string, number> {
  const seconds = session.duration_seconds ?? 0;
  const replies = messages.filter(({ role }) => role === 'ASSISTANT');
  const sum = new Sum();
  sum.add('conversations');
  sum.add('durationSeconds', seconds);
  sum.add('billedSeconds', session.billed_seconds ?? 0);
  sum.add('turns', session.turns);
  sum.add('tokens', session.tokens);
  sum.add('interrupted', replies.filter(({ interrupted }) => interrupted).length);
  sum.add(`outcome.${session.outcome ?? 'unknown'}`);
  sum.add(`sentiment.${session.sentiment ?? 'neutral'}`);
  sum.add(`end.${session.end_reason}`);
  sum.add(bucketName('duration', seconds, durationBoundsSeconds));
  for (const reply of replies) {
    for (const [stage, ms] of Object.entries(stagesOf(reply)))
      sum.add(bucketName(`latency.${stage}`, ms, latencyBoundsMs));
  }
  return sum.figures;
}

/** Milliseconds by stage. What the agent says unasked answers nobody, so that nobody waited for it. */
function stagesOf({ mode, turn, timing }: FinishedSession['messages'][number]): Record<string, number> {
  if (!timing) return {};
  const { interruptedAfter: _, ...stages } = timing;
  const response = turn === 0 ? undefined : responseMs(mode, timing);
  return response === undefined ? stages : { ...stages, response };
}

/** How long the person waited: for the first sound of a spoken reply, the first word of a written one. */
const responseMs = (mode: MessageRow['mode'], timing: TurnTiming): number | undefined =>
  mode === 'TEXT'
    ? timing.firstToken
    : timing.firstSound && (timing.endpointing ?? 0) + (timing.recognition ?? 0) + timing.firstSound;

function toolFigures(calls: FinishedSession['toolCalls']): Record<string, Record<string, number>> {
  const byName = [...Map.groupBy(calls, ({ name }) => name)].slice(0, mostTools);
  return Object.fromEntries(byName.map(([name, own]) => [name, figuresOfTool(own)]));
}

function figuresOfTool(calls: FinishedSession['toolCalls']): Record<string, number> {
  const sum = new Sum();
  for (const { status, started_at: started, finished_at: finished } of calls) {
    sum.add(status === 'started' ? 'unknown' : status);
    if (finished) sum.add(bucketName('latency', finished.getTime() - started.getTime(), latencyBoundsMs));
  }
  return sum.figures;
}

class Sum {
  readonly figures: Record<string, number> = {};

  add(name: string, by = 1): void {
    if (by > 0) this.figures[name] = (this.figures[name] ?? 0) + by;
  }
}
