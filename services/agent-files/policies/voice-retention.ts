import { durationMs } from '../../contract/durations.ts';
import type { VoiceRetention } from '../../contract/generated/policies.ts';
import type { Policy } from './policy.ts';
import { canBeSpokenTo } from './spoken.ts';

/** An agent that can be spoken to keeps its conversations no longer than this. */
export const voiceRetention: Policy<VoiceRetention> = (agent, { max }) => {
  if (!canBeSpokenTo(agent) || agent.retentionMs <= durationMs(max)) return [];
  return [
    {
      path: ['retention'],
      message: `"retention" must be at most ${max} for an agent that can be spoken to; 90d is the default. Shorten it, or be TEXT with sessions.microphone: false.`,
    },
  ];
};
