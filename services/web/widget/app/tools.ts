import { within } from '../../client/within.ts';
import type { PropertySchema, RegisteredTool, ToolOptions } from '../shapes.ts';

/** The page's answer to one call of a client tool. */
export interface ToolWatch {
  began(call: { id: string; label: string }): void;
  ended(id: string): void;
}

const usualSeconds = 10;
const longestSeconds = 120;
/** What a room carries as one answer (docs/write-agents/tools.md). */
const longestAnswer = 15_000;

/**
 * Runs what the page registered under this name, with what the agent asks.
 * @throws Error with a sentence for the model: the call cannot be read, its arguments do not fit, the function failed, or took too long
 */
export async function runTool(name: string, tool: RegisteredTool, payload: string, watch: ToolWatch): Promise<string> {
  const { callId, args } = readCall(payload);
  const fault = misfit(args, tool.parameters);
  if (fault) throw new Error(`The page refused the arguments: ${fault}`);
  watch.began({ id: callId, label: tool.label ?? name });
  try {
    return written(await inTime(tool, Promise.resolve(tool.run(args, { callId }))));
  } finally {
    watch.ended(callId);
  }
}

function readCall(payload: string): { callId: string; args: Record<string, unknown> } {
  const call = parsed(payload);
  if (!isObject(call) || typeof call.callId !== 'string' || !isObject(call.arguments)) {
    throw new Error('The page could not read the call.');
  }
  return { callId: call.callId, args: call.arguments };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is wrong with the arguments, as a sentence. The service has checked them against the tool's file; this is what the page expects. */
export function misfit(args: Record<string, unknown>, parameters: ToolOptions['parameters']): string | undefined {
  if (!parameters) return undefined;
  const missing = parameters.required?.find((name) => args[name] === undefined);
  if (missing) return `"${missing}" is missing.`;
  for (const [name, schema] of Object.entries(parameters.properties ?? {})) {
    const fault = args[name] === undefined ? undefined : misfitOf(args[name], schema);
    if (fault) return `"${name}" ${fault}.`;
  }
  return undefined;
}

function misfitOf(
  value: unknown,
  { type, enum: among, minimum, maximum, maxLength }: PropertySchema,
): string | undefined {
  if (type && !isOfType(value, type)) return `must be of type ${type}`;
  if (among && !among.includes(value)) return `must be one of ${among.join(', ')}`;
  if (typeof value === 'number' && minimum !== undefined && value < minimum) return `must be at least ${minimum}`;
  if (typeof value === 'number' && maximum !== undefined && value > maximum) return `must be at most ${maximum}`;
  if (typeof value === 'string' && maxLength !== undefined && value.length > maxLength)
    return `must have at most ${maxLength} characters`;
  return undefined;
}

function isOfType(value: unknown, type: NonNullable<PropertySchema['type']>): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isObject(value);
  return typeof value === type;
}

function inTime({ timeoutSeconds = usualSeconds }: RegisteredTool, work: Promise<unknown>): Promise<unknown> {
  const seconds = Math.min(timeoutSeconds, longestSeconds);
  return within(seconds * 1_000, () => new Error(`The page did not answer within ${seconds} s.`), work);
}

function written(result: unknown): string {
  const text = typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null');
  if (text.length <= longestAnswer) return text;
  throw new Error(`The page's answer is longer than ${longestAnswer} characters.`);
}
