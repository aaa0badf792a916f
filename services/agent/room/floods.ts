import { type Participant, type RemoteParticipant, type Room, RoomEvent } from '@livekit/rtc-node';
import { agentIdentity, hiddenListenerIdentity } from '../../core/rooms/rooms.ts';

/** What of a participant's reaches this process, and with it every conversation that it carries. */
export type Sent = 'streams' | 'packets' | 'tracks';

/**
 * What one participant may send a minute before it is sent out of the room. Twice the texts that an agent may allow
 * (schemas/agent.schema.json), a hundred packets or pieces of text a second, and more microphones than anybody changes between.
 */
const mostAMinute: Readonly<Record<Sent, number>> = { streams: 1_200, packets: 6_000, tracks: 30 };
const minuteMs = 60_000;
/** Who comes back within the minute and goes on is sent out again, not more often than this. */
const removeEveryMs = 500;

/** A participant that is to be sent out of the room. */
export interface Flood {
  identity: string;
  what: Sent;
  /** Whether it was sent out before, in the same minute, and came back to go on. */
  again: boolean;
}

interface Tally {
  since: number;
  sent: Record<Sent, number>;
  removedAt: number;
}

/** Counts what each participant sends, and asks for the removal of those who send too much. */
export class FloodGuard {
  readonly #remove: (flood: Flood) => void;
  readonly #now: () => number;
  readonly #tallies = new Map<string, Tally>();

  /** `remove` is called again while somebody who was removed goes on. */
  constructor(remove: (flood: Flood) => void, now: () => number = () => performance.now()) {
    this.#remove = remove;
    this.#now = now;
  }

  /** One more of these from a participant. False when that is too much: nothing is done with it then. */
  admit(identity: string, what: Sent): boolean {
    const tally = this.#tallyOf(identity);
    tally.sent[what] += 1;
    if (tally.sent[what] <= mostAMinute[what]) return true;
    if (this.#now() - tally.removedAt >= removeEveryMs) {
      const again = tally.removedAt > Number.NEGATIVE_INFINITY;
      tally.removedAt = this.#now();
      this.#remove({ identity, what, again });
    }
    return false;
  }

  /** Counts what comes into `room` besides texts, which whoever reads them counts. */
  watch(room: Room): void {
    const packet = (who: Participant | undefined) => who && isOther(who) && this.admit(who.identity, 'packets');
    room.on(RoomEvent.DataReceived, (_, who) => packet(who));
    room.on(RoomEvent.ParticipantAttributesChanged, (_, who) => packet(who));
    room.on(RoomEvent.ParticipantMetadataChanged, (_, who) => packet(who));
    room.on(
      RoomEvent.TrackPublished,
      (_, who: RemoteParticipant) => isOther(who) && this.admit(who.identity, 'tracks'),
    );
  }

  #tallyOf(identity: string): Tally {
    const known = this.#tallies.get(identity);
    if (known && this.#now() - known.since < minuteMs) return known;
    const sent = { streams: 0, packets: 0, tracks: 0 };
    const tally = { since: this.#now(), sent, removedAt: Number.NEGATIVE_INFINITY };
    this.#tallies.set(identity, tally);
    return tally;
  }
}

const isOther = ({ identity }: Pick<Participant, 'identity'>) =>
  identity !== agentIdentity && identity !== hiddenListenerIdentity;
