import type { CompiledTool } from '../../agent-files/definition/compiled.ts';

/** What a tool came to: its answer, or one plain sentence that the model can tell the person about. */
export type ToolResult = { ok: true; output: unknown } | { ok: false; message: string };

export const succeeded = (output: unknown): ToolResult => ({ ok: true, output });

export const failed = (message: string): ToolResult => ({ ok: false, message });

/** The end of a sentence about a call that may have done its work although nothing came back. */
export const effectUnknown = ({ http }: Pick<CompiledTool, 'http'>): string =>
  http?.method === 'GET' ? '' : ' Whether it had an effect is not known.';

export const seconds = (ms: number): string => (ms === 1000 ? '1 second' : `${ms / 1000} seconds`);
