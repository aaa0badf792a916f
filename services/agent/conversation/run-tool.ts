import type { Logger } from 'pino';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { guardedFetch } from '../../process/outbound/guarded-fetch.ts';
import type { AgentRoom } from '../room/agent-room.ts';
import { type AskPerson, runClientTool } from '../tools/client.ts';
import { runHttpTool } from '../tools/http.ts';
import { failed, type ToolResult } from '../tools/result.ts';
import type { Loaded } from './loading.ts';
import { type RunTool, ToolFailure, told } from './tool-guard.ts';

export interface AgentOwner {
  tenant: string;
  agent: string;
}

/** Where a tool is called from. What is not there is what cannot be done there. */
export interface Caller {
  /** Whose secret signs requests. */
  owner?: AgentOwner;
  /** How the person's application is asked. */
  askPerson?: AskPerson;
}

export interface OutsideDeps {
  env: NodeJS.ProcessEnv;
  allowLoopback: boolean;
  logger: Logger;
  /** Secrets that sign for an agent as of now: read for each call and kept nowhere, so that a regenerated one holds at once. */
  secretsOf?: (owner: AgentOwner) => Promise<string[]>;
}

/** The tools of one session that reach outside it, called from the room that the agent is in. */
export const outsideTools = (
  { toolsFor }: { toolsFor: ToolsFor },
  { session }: Loaded,
  room: () => AgentRoom,
): RunTool =>
  toolsFor({
    owner: { tenant: session.tenant_id, agent: session.agent },
    askPerson: (question) => room().askPerson(session.participant_identity, question),
  });

/** Makes what runs the tools that reach outside the conversation; their failures are sentences that the model may read. */
export type ToolsFor = (caller: Caller) => RunTool;

export const makeToolsFor =
  (deps: OutsideDeps): ToolsFor =>
  (caller) =>
  async (tool, args, call) => {
    const result = await runOutside(deps, caller, { tool, args, call });
    if (result.status !== 'ok') throw new ToolFailure(result);
    return result.output;
  };

interface Run {
  tool: CompiledTool;
  args: Record<string, unknown>;
  call: { id: string; signal: AbortSignal };
}

async function runOutside(deps: OutsideDeps, caller: Caller, { tool, args, call }: Run): Promise<ToolResult> {
  const { env, allowLoopback, logger } = deps;
  const { id, signal } = call;
  if (tool.client && caller.askPerson) return runClientTool(caller.askPerson, tool, { args, callId: id });
  if (!tool.http) return failed(`The tool "${tool.name}" is not available here.`);
  const onFault = (fault: { tool: string; reason: string }) => logger.warn({ ...fault, call: id }, 'a tool failed');
  const secrets = await signingSecrets(deps, caller, (reason) => onFault({ tool: tool.name, reason }));
  return runHttpTool({ fetch: guardedFetch, env, allowLoopback, onFault }, tool, { args, callId: id, secrets, signal });
}

async function signingSecrets(
  { secretsOf }: OutsideDeps,
  { owner }: Caller,
  onFault: (reason: string) => void,
): Promise<string[]> {
  if (!secretsOf || !owner) return [];
  const secrets = (await bestEffort('the operator is told below', secretsOf(owner))) ?? [];
  if (secrets.length > 0) return secrets;
  onFault("The agent's secret could not be read, so its request could not be signed.");
  throw new ToolFailure(failed(told.away));
}
