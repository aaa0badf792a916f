import type { CompiledAgent } from '../definition/compiled.ts';

/** Whether people may speak to it: a TEXT session becomes spoken when the agent permits a microphone. */
export const canBeSpokenTo = ({ interactionMode, settings }: CompiledAgent): boolean =>
  interactionMode === 'VOICE' || settings.sessions.microphone;
