/** What built-in tools need of the host that holds a conversation: one function an ability. */
import type { Abilities } from '../../../agent-files/builtin-tools/registry.ts';
import type { Transfers } from '../../../core/telephony/transfer.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import type { Loaded } from '../loading.ts';
import type { AnnouncingParts } from './announcing.ts';
import { leaveMessage } from './leave-message.ts';
import { transferCaller } from './transferring.ts';

/** What they are made of. */
export interface BuiltinHost extends AnnouncingParts {
  loaded: Loaded;
  room: () => AgentRoom;
  transfers: Transfers;
  /** Who speaks while this is under way is answered after it. */
  uninterrupted<Result>(work: Promise<Result>): Promise<Result>;
}

export const builtinAbilities = (host: BuiltinHost): Abilities => ({
  transfer: (destination) => host.uninterrupted(transferCaller(host, destination)),
  pressKeys: (keys) => pressKeys(host, keys),
  leaveMessage: () => host.uninterrupted(leaveMessage(host)),
});

async function pressKeys({ room, loaded }: BuiltinHost, keys: string): Promise<boolean> {
  if (!room().isOnTelephone(loaded.session.participant_identity)) return false;
  await room().pressKeys(keys);
  return true;
}
