import { isBuiltinTool } from '../../agent-files/builtin-tools/registry.ts';
import type { ToolCallStatus, ToolOutcome } from '../../contract/session.ts';
import { one, prepared, type Queryable, sql } from '../sql.ts';
import { storable } from '../text.ts';

export interface ToolCallRow {
  id: string;
  session_id: string;
  turn: number;
  ordinal: number;
  sequence: number;
  epoch: number;
  name: string;
  arguments: Record<string, unknown>;
  status: ToolCallStatus;
  result: string | null;
  started_at: Date;
  finished_at: Date | null;
}

export interface NewToolCall {
  tenant: string;
  session: string;
  epoch: number;
  turn: number;
  ordinal: number;
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** The calls of the day that the agent's file allows are used up. Built-in tools do not count. */
export class ToolCallsUsedUp extends Error {
  constructor() {
    super('the tool calls of the day are used up: no tool is started');
  }
}

/** Null when the epoch is stale or the session is over: then the tool must not run. @throws ToolCallsUsedUp */
export async function startToolCall(q: Queryable, c: NewToolCall): Promise<number | null> {
  const { sequence } = await beginToolCall(q, c);
  if (sequence === -1) throw new ToolCallsUsedUp();
  return sequence;
}

const beginToolCall = (q: Queryable, c: NewToolCall) =>
  one<{ sequence: number | null }>(
    q,
    prepared('begin-tool-call')`select begin_tool_call(${JSON.stringify({
      tenant: c.tenant,
      session: c.session,
      epoch: c.epoch,
      turn: c.turn,
      ordinal: c.ordinal,
      id: c.id,
      name: storable(c.name),
      arguments: c.arguments,
      // What an agent has by itself, such as ending the call, costs nobody anything.
      is_capped: !isBuiltinTool(c.name),
    })}) as sequence`,
  );

export interface StoredOutcome {
  status: ToolOutcome;
  result: string;
}

/** What came of it. The first to say so is right: false when it was finished already. */
export const finishToolCall = async (
  q: Queryable,
  { tenant, id, status, result }: { tenant: string; id: string } & StoredOutcome,
) =>
  (
    await one<{ done: boolean }>(
      q,
      prepared('finish-tool-call')`select finish_tool_call(${tenant}, ${id}, ${status}, ${storable(result)}) as done`,
    )
  ).done;

export const listToolCalls = (q: Queryable, session: string) =>
  q.query<ToolCallRow>(sql`select * from tool_calls where session_id = ${session} order by sequence`);

/** Calls of several sessions, each session's in order. */
export const listToolCallsOf = (q: Queryable, sessions: readonly string[]) =>
  q.query<ToolCallRow>(
    sql`select * from tool_calls where session_id = any (${sessions}) order by session_id, sequence`,
  );
