import type { Database } from '../../store/database.ts';
import { locateTrunks } from '../../store/tables/trunks.ts';
import { atOnce } from '../reaping/at-once.ts';
import { isMissing, type Rooms } from '../rooms/rooms.ts';
import type { EndDeps } from '../sessions/end.ts';
import { type AdmitCallDeps, admitCall } from './admit-call.ts';
import { endCall } from './end-call.ts';
import { callerOf, isInboundRoom, isLeg, sipCallIdOf } from './leg.ts';

export interface CallWatchDeps extends AdmitCallDeps, EndDeps {
  db: Database;
  rooms: Pick<Rooms, 'list' | 'participants' | 'close'>;
  /** Whether this worker is the one that compares; absent: it is the only one. */
  leads?: () => Promise<boolean>;
  onRefused(room: string, code: string): void;
}

/** A call that is turned away takes its time, and others ring meanwhile. */
const mostAtOnce = 8;
/** Nobody's telephone is in the room in so many looks: it has hung up. */
const emptyLooks = 2;
/** Between the room and its telephone lies a moment. */
const joinedWithinMs = 5_000;

/**
 * Compares the rooms of calls that came in with what we know of them: the room server's events may be lost. What it remembers between looks
 * is which calls are known, and since when a room has been without its telephone.
 */
export class CallWatch {
  readonly #deps: CallWatchDeps;
  readonly #known = new Set<string>();
  readonly #empty = new Map<string, { looks: number; at: Date }>();
  /** Its session has ended, and whoever ends sessions closes it. */
  readonly #over = new Set<string>();

  constructor(deps: CallWatchDeps) {
    this.#deps = deps;
  }

  /** @throws while the database or the room server does not answer */
  async look(): Promise<void> {
    const { db, rooms, clock, leads } = this.#deps;
    if ((await locateTrunks(db)).length === 0 || (await leads?.()) === false) return;
    const at = clock.now();
    const listed = (await rooms.list()).filter(({ name }) => isInboundRoom(name));
    const names = new Set(listed.map(({ name }) => name));
    for (const seen of [this.#known, this.#over, this.#empty])
      for (const name of seen.keys()) if (!names.has(name)) seen.delete(name);
    const due = listed.filter(({ name, persons, createdAt }) => {
      if (this.#over.has(name) || (this.#known.has(name) && persons > 0)) return false;
      return persons > 0 || at.getTime() - createdAt.getTime() >= joinedWithinMs;
    });
    await atOnce(mostAtOnce, due, ({ name }) => this.#lookAt(name, at));
  }

  async #lookAt(room: string, at: Date): Promise<void> {
    const { rooms } = this.#deps;
    const inRoom = await rooms.participants(room).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    const leg = inRoom.find(isLeg);
    if (!leg) return this.#miss(room, at);
    this.#empty.delete(room);
    const sipCallId = sipCallIdOf(leg);
    if (this.#known.has(room) || sipCallId === undefined) return;
    const refused = await admitCall(this.#deps, { room, identity: leg.identity, sipCallId, caller: callerOf(leg) });
    if (refused) this.#deps.onRefused(room, refused);
    else this.#known.add(room);
  }

  async #miss(room: string, at: Date): Promise<void> {
    const absence = this.#empty.get(room) ?? { looks: 0, at };
    absence.looks += 1;
    this.#empty.set(room, absence);
    if (absence.looks < emptyLooks) return;
    await endCall(this.#deps, { room, at: absence.at, source: 'worker' });
    this.#over.add(room);
  }
}
