import type { Clock } from '../../../process/clock.ts';
import { type CallRow, changeCall, findCall, locateOpenCalls, lockCall } from '../../../store/tables/calls.ts';
import { atOnce } from '../../reaping/at-once.ts';
import { isMissing, type Rooms } from '../../rooms/rooms.ts';
import { type EndDeps, endSession } from '../../sessions/end.ts';
import { endCall } from '../end-call.ts';
import { callStatusAttribute, isLeg, isPutThrough, sipCallIdOf } from '../leg.ts';
import { dialEndsMs } from './dialler.ts';
import { stillWantedMs } from './place.ts';
import { settleCall } from './settle.ts';

export interface FollowDeps extends EndDeps {
  rooms: Pick<Rooms, 'close' | 'participants'>;
  clock: Clock;
  /** Whether this worker is the one that compares; absent: it is the only one. */
  leads?: () => Promise<boolean>;
  /** A call that can't be looked at must not hold up the others. */
  onFault(call: string, error: unknown): void;
}

type Participant = Awaited<ReturnType<Rooms['participants']>>[number];

const mostAtOnce = 8;
const mostCalls = 500;
/** Nobody's telephone is in the room in so many looks: it has hung up, and the room server's event of it was lost. */
const emptyLooks = 2;
/** The list of jobs may be behind. */
const queuedForMs = 2 * stillWantedMs;

/**
 * Compares calls out that are not over with their rooms, again and again: whoever asked the bridge to dial may have died, and its answer with
 * it. A telephone in the room goes on; none there when the bridge must have given up means that nobody knows what became of the call. It
 * is never dialled again. It also keeps the call's own time.
 */
export class CallFollower {
  readonly #deps: FollowDeps;
  readonly #empty = new Map<string, { looks: number; at: Date }>();

  constructor(deps: FollowDeps) {
    this.#deps = deps;
  }

  /** @throws while the database does not answer */
  async look(): Promise<void> {
    const open = await locateOpenCalls(this.#deps.db, mostCalls);
    const ids = new Set(open.map(({ call_id }) => call_id));
    for (const id of this.#empty.keys()) if (!ids.has(id)) this.#empty.delete(id);
    if (open.length === 0 || (await this.#deps.leads?.()) === false) return;
    await atOnce(mostAtOnce, open, async ({ call_id: id, tenant_id: tenant }) => {
      const call = await this.#deps.db.asTenant(tenant, (tx) => findCall(tx, id));
      if (call?.direction !== 'outbound') return;
      await this.#follow(call).catch((error: unknown) => this.#deps.onFault(id, error));
    });
  }

  async #follow(call: CallRow): Promise<void> {
    if (call.state === 'queued') return this.#expire(call);
    const leg = await this.#legIn(call.room_name);
    if (call.state === 'answered') return this.#keepTime(call, leg);
    if (leg && isPutThrough(leg)) return this.#note(call, { state: 'answered', leg });
    if (this.#msSince(call.dialed_at) > dialEndsMs)
      return void (await settleCall(this.#deps, call, { state: leg ? 'no_answer' : 'unknown' }));
    if (leg?.attributes[callStatusAttribute] === 'ringing' && call.state === 'dialing')
      return this.#note(call, { state: 'ringing', leg });
  }

  async #expire(call: CallRow): Promise<void> {
    if (this.#msSince(call.asked_at) < queuedForMs) return;
    await settleCall(this.#deps, call, { state: 'refused', refusedBecause: 'expired' });
  }

  #msSince = (at: Date | null): number => (at ? this.#deps.clock.now().getTime() - at.getTime() : 0);

  async #legIn(room: string): Promise<Participant | undefined> {
    const inRoom = await this.#deps.rooms.participants(room).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return inRoom.find(isLeg);
  }

  /** Where the host has not told it yet, the time of the look is the proof that there is. */
  #note({ tenant_id: tenant, id }: CallRow, { state, leg }: { state: 'ringing' | 'answered'; leg: Participant }) {
    return this.#deps.db.asTenant(tenant, async (tx) => {
      const call = await lockCall(tx, id);
      if (!call || call.ended_at !== null || call.state === 'answered' || call.state === state) return;
      const answeredAt = state === 'answered' ? this.#deps.clock.now() : undefined;
      await changeCall(tx, id, { state, answeredAt, sipCallId: sipCallIdOf(leg) });
    });
  }

  async #keepTime(call: CallRow, leg: Participant | undefined): Promise<void> {
    const { tenant_id: tenant, session_id: session, max_seconds, room_name: room } = call;
    if (session && max_seconds !== null && this.#msSince(call.answered_at) > max_seconds * 1_000)
      return void (await endSession(this.#deps, { tenant, session, reason: 'max_duration', source: 'call' }));
    if (leg) return void this.#empty.delete(call.id);
    const absence = this.#empty.get(call.id) ?? { looks: 0, at: this.#deps.clock.now() };
    absence.looks += 1;
    this.#empty.set(call.id, absence);
    if (absence.looks >= emptyLooks) await endCall(this.#deps, { room, at: absence.at, source: 'worker' });
  }
}
