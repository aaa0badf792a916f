import { llm, voice } from '@livekit/agents';

export type ModelTools = ReadonlyMap<string, llm.FunctionTool>;

export interface ToolAnswer {
  output: llm.FunctionCallOutput;
  /** The model has nothing to say to it. */
  silent: boolean;
}

/** Runs a tool that a speech-to-speech model calls, as the framework does for the models of text. */
export async function callTool(
  tools: ModelTools,
  call: llm.FunctionCall,
  abortSignal: AbortSignal,
): Promise<ToolAnswer> {
  const answer = (output: string, { isError = false, silent = false } = {}) => ({
    output: llm.FunctionCallOutput.create({ callId: call.callId, name: call.name, output, isError }),
    silent,
  });
  const tool = tools.get(call.name);
  if (!tool) return answer(`There is no tool "${call.name}".`, { isError: true });
  try {
    const result = await tool.execute(parsed(call.args) as never, { abortSignal } as never);
    return answer(JSON.stringify(result) ?? '');
  } catch (error) {
    if (error instanceof voice.StopResponse) return answer('', { silent: true });
    const told = error instanceof llm.ToolError ? error.message : 'An internal error occurred.';
    return answer(told, { isError: true });
  }
}

/** What is no JSON is refused by the tool's own check. */
function parsed(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return undefined;
  }
}
