import type { ParticipantInfo } from 'livekit-server-sdk';
import type { PresenceRole } from '../../contract/session.ts';
import { hiddenListenerIdentity } from '../rooms/rooms.ts';

/** ParticipantInfo.Kind.AGENT of LiveKit's protocol, which livekit-server-sdk does not export. */
const agentKind = 4;

/** Whose presence this participant's is; undefined for an agent's second connection, which is nobody's. */
export function presenceRole({ kind, identity }: Pick<ParticipantInfo, 'kind' | 'identity'>): PresenceRole | undefined {
  if (kind !== agentKind) return 'person';
  return identity === hiddenListenerIdentity ? undefined : 'agent';
}
