import { fillVariables, valuesOfCall } from '../../../agent-files/definition/instructions.ts';
import { inLanguage } from '../language.ts';
import type { Loaded } from '../loading.ts';
import { type AnnouncingParts, announceAloud } from './announcing.ts';

export interface LeaveMessageParts extends AnnouncingParts {
  loaded: Pick<Loaded, 'definition' | 'session' | 'callVariables' | 'isCalling'>;
}

/** Says to a machine what the agent's file wants left with it, if anything. False where the agent is not calling somebody. */
export async function leaveMessage({ loaded, ...announcing }: LeaveMessageParts): Promise<boolean> {
  const { definition, session, callVariables = {}, isCalling = false } = loaded;
  if (!isCalling) return false;
  const message = inLanguage(definition.machineMessage ?? {}, session.language);
  const line = fillVariables(message, valuesOfCall(definition, callVariables));
  if (line) await announceAloud(announcing, line);
  return true;
}
