import { activityOf, type State } from '../conversation/state.ts';
import type { Texts } from '../texts/en.ts';
import { filled } from '../texts/texts.ts';

/** What the person should know, in their language. */
export function noticeText(state: State, texts: Texts): string {
  const { notice, connection, isSoundBlocked } = state;
  if (notice?.code === 'elsewhere') return connection === 'elsewhere' ? texts.elsewhere : texts.spokenElsewhere;
  if (notice) return notice.isRetried ? `${texts[notice.code]} ${texts.trying}` : texts[notice.code];
  return isSoundBlocked ? texts.autoplay_blocked : '';
}

/** One line for what goes on right now. The connection comes first: without it nothing else is known. */
export function situationText(state: State, texts: Texts): string {
  const { phase, connection, agentWithinSeconds, mode } = state;
  if (phase === 'ended') return texts.ended;
  if (connection === 'reconnecting') return texts.reconnecting;
  if (agentWithinSeconds !== undefined) return filled(texts.agentWithin, { seconds: agentWithinSeconds });
  if (phase === 'starting' || connection === 'connecting') return texts.connecting;
  if (phase !== 'talking' || connection !== 'connected') return '';
  const activity = activityOf(state);
  if (activity === 'thinking') return texts.thinks;
  if (activity === 'speaking') return mode === 'voice' ? texts.speaks : texts.writes;
  return mode === 'voice' && activity === 'listening' ? texts.listens : '';
}
