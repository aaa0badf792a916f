import { bestEffort } from '../../../client/best-effort.ts';
import type { Mode } from './beginning.ts';
import { type ConversationDeps, HeldConversation } from './held-conversation.ts';
import type { Remembered } from './memory.ts';

export type Conversation = ReturnType<typeof holdConversation>;

/**
 * Holds one conversation after another, for the window and the page. Nothing is asked of anybody before the first word or press; what
 * happens is told as facts.
 */
export function holdConversation(deps: ConversationDeps, remembered?: Remembered) {
  const held = new HeldConversation(deps, remembered);
  return {
    online: (isOnline: boolean) => held.online(isOnline),
    say: (text: string) => held.say(text),
    start: (mode: Mode = 'TEXT') => held.start(mode),
    speak: () => held.speak(),
    write: () => held.write(),
    mute: (muted: boolean) => held.mute(muted),
    interrupt: () => held.interrupt(),
    startSound: async () => {
      await bestEffort('the browser says again that it plays nothing', held.room?.startSound());
    },
    useMicrophone: (deviceId: string) => held.useMicrophone(deviceId),
    useSpeaker: (deviceId: string) => held.useSpeaker(deviceId),
    /** By their ids; what the person chose none of is the system's. */
    chosen: () => held.chosen,
    loudness: () => held.room?.loudness() ?? { person: 0, agent: 0 },
    end: () => held.end(),
    clear: () => held.clear(),
    rejoin: () => held.rejoin(),
    room: () => held.room,
    dismiss: () => held.notice(undefined),
  };
}
