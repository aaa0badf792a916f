import type { Logger } from 'pino';
import { guardedFetch } from '../../core/guarded-fetch.ts';
import { runHttpTool } from '../tools/http.ts';
import { type RunTool, ToolFailure } from './tool-guard.ts';

/** Runs the tools that reach outside the conversation; their failures are sentences that the model may read. */
export const makeRunTool =
  ({ env, allowLoopback, logger }: { env: NodeJS.ProcessEnv; allowLoopback: boolean; logger: Logger }): RunTool =>
  async (tool, args, { id, signal }) => {
    if (!tool.http) throw new ToolFailure(`The tool "${tool.name}" is not available here.`);
    const onFault = (fault: { tool: string; reason: string }) => logger.warn({ ...fault, call: id }, 'a tool failed');
    const result = await runHttpTool({ fetch: guardedFetch, env, allowLoopback, onFault }, tool, {
      args,
      callId: id,
      signal,
    });
    if (!result.ok) throw new ToolFailure(result.message);
    return result.output;
  };
