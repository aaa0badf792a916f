import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import type { ToolOutcome } from '../../contract/session.ts';

/** One plain sentence that the model can tell the person about, and what it means for whoever would make the call again. */
export interface ToolMiss {
  status: Exclude<ToolOutcome, 'ok'>;
  message: string;
}

/** What a tool came to. */
export type ToolResult = { status: 'ok'; output: unknown } | ToolMiss;

export const succeeded = (output: unknown): ToolResult => ({ status: 'ok', output });

/** Nothing was done: it was refused, it did not run, or nothing of it left us. */
export const failed = (message: string): ToolMiss => ({ status: 'failed', message });

/** It may have done its work although nothing came back. */
export const unknown = (message: string): ToolMiss => ({
  status: 'unknown',
  message: `${message} Whether it had an effect is not known.`,
});

/** What only reads (RFC 9110, 9.2.1) has no effect that anybody could be in doubt about. */
export const onlyReads = ({ http }: Pick<CompiledTool, 'http'>): boolean => http?.method === 'GET';

/** A call that had begun, and that no answer came to. */
export const unanswered = (tool: Pick<CompiledTool, 'http'>, message: string): ToolMiss =>
  onlyReads(tool) ? failed(message) : unknown(message);

export const seconds = (ms: number): string => (ms === 1000 ? '1 second' : `${ms / 1000} seconds`);
