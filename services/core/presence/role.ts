import type { ParticipantInfo } from 'livekit-server-sdk';
import type { PresenceRole } from '../../contract/session.ts';
import { hiddenListenerIdentity } from '../rooms/rooms.ts';
import { isLeg, isPutThrough } from '../telephony/leg.ts';

/** ParticipantInfo.Kind.AGENT of LiveKit's protocol, which livekit-server-sdk does not export. */
const agentKind = 4;

type Participant = Pick<ParticipantInfo, 'kind' | 'identity' | 'attributes'>;

/**
 * Whose presence this participant's is; undefined for an agent's second connection, which is nobody's, and for whom a telephone rings:
 * they are there once they are put through.
 */
export function presenceRole(participant: Participant): PresenceRole | undefined {
  const { kind, identity } = participant;
  if (isLeg(participant) && !isPutThrough(participant)) return undefined;
  if (kind !== agentKind) return 'person';
  return identity === hiddenListenerIdentity ? undefined : 'agent';
}
