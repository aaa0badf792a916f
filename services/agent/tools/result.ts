/** What a tool came to: its answer, or one plain sentence that the model can tell the person about. */
export type ToolResult = { ok: true; output: unknown } | { ok: false; message: string };

export const succeeded = (output: unknown): ToolResult => ({ ok: true, output });

export const failed = (message: string): ToolResult => ({ ok: false, message });
