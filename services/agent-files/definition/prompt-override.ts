import type { Fault } from '../faults.ts';
import type { CompiledAgent } from './compiled.ts';

/**
 * A warning where whoever has the agent's key may replace its prompt, unless no page may have that key: who is a page is told by `Origin`
 * alone, which whoever writes a request leaves out. One with a widget is warned of where its file is checked.
 */
export function promptOverride({ agent, settings }: CompiledAgent): Fault | undefined {
  const { sessions, widget, allowedOrigins } = settings;
  const isSigned = sessions.requireSignature || sessions.systemPrompt !== 'server';
  if (isSigned || widget || allowedOrigins?.length === 0) return undefined;
  const message =
    'Whoever has the key of this agent may replace its prompt, and a key that a page uses can be copied from it: set ' +
    'sessions.systemPrompt to signed or never, or say that no page may use the agent (allowedOrigins: []).';
  return { file: `${agent}.yaml`, line: 1, column: 1, rule: 'prompt-override', message, severity: 'warning' };
}
