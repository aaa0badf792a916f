/** Tool calls that a former host had begun, and whose outcome nobody has stored. */
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import type { Database } from '../../store/database.ts';
import { finishToolCall, type StoredOutcome, type ToolCallRow } from '../../store/tables/tool-calls.ts';
import { outcomeUnknown } from './history.ts';
import type { Loaded } from './loading.ts';
import { missOf, type RunTool, withDeadline } from './tool-guard.ts';

/** The person hears nothing meanwhile, and after a minute without an agent the session would end. */
const longestRepetitionMs = 15_000;

/**
 * Calls that were running when the former host died: an idempotent one runs again under its own id (the receiver knows it
 * by its Idempotency-Key), every other one's outcome is unknown and it is not repeated.
 */
export async function settleInterruptedCalls(db: Database, loaded: Loaded, run: RunTool): Promise<Loaded> {
  const toolCalls = await Promise.all(
    loaded.toolCalls.map((call) => (call.status === 'started' ? settle(db, loaded, call, run) : Promise.resolve(call))),
  );
  return { ...loaded, toolCalls };
}

async function settle(
  db: Database,
  { session, definition }: Loaded,
  call: ToolCallRow,
  run: RunTool,
): Promise<ToolCallRow> {
  const tool = definition.tools.find((declared) => declared.name === call.name);
  const outcome = tool?.idempotent
    ? await runAgain(tool, call, run)
    : { status: 'unknown' as const, result: outcomeUnknown };
  await finishToolCall(db, { tenant: session.tenant_id, id: call.id, ...outcome });
  return { ...call, ...outcome };
}

async function runAgain(tool: CompiledTool, call: ToolCallRow, run: RunTool): Promise<StoredOutcome> {
  const hurried = { ...tool, timeoutMs: Math.min(tool.timeoutMs, longestRepetitionMs) };
  try {
    const result = await withDeadline(hurried, undefined, (signal) =>
      run(hurried, call.arguments, { id: call.id, signal }),
    );
    return { status: 'ok', result: JSON.stringify(result) ?? '' };
  } catch (error) {
    const { status, message } = missOf(hurried, error);
    return { status, result: message };
  }
}
