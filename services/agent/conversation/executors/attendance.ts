import type { SessionStatus } from '../../../contract/session.ts';
import { reportAgentReady, reportJoined, reportLeft } from '../../../core/presence/presence.ts';
import { bestEffort } from '../../../process/best-effort.ts';
import { sleep } from '../../../process/sleep.ts';
import type { Database } from '../../../store/database.ts';
import { channels, type Notifier } from '../../../store/notify.ts';
import type { Lease } from '../../../store/tables/hosts.ts';
import type { PersonInRoom } from '../../room/persons.ts';
import type { RoomConnection } from '../room-connection.ts';
import type { SessionRecord } from '../session-record.ts';
import type { Fact } from '../state/fact.ts';
import { lastWritesMs } from '../transcript.ts';

export interface AttendanceParts {
  db: Database;
  notifier: Notifier;
  /** Now, by the database's clock. */
  now(): Date;
  lease: Lease;
  record: SessionRecord;
  connection: RoomConnection;
  post: (fact: Fact) => void;
  isOver: () => boolean;
  isOpen: () => boolean;
  /** Looks for stored texts without an answer. */
  catchUp: () => Promise<void>;
  /** What the predecessor stored is in line; what was heard here meanwhile comes after it. */
  caughtUp: () => void;
  /** The person is there. */
  wake: () => void;
  warn: (text: string, fields: Record<string, unknown>) => void;
}

const announceAgainMs = 500;
/** A predecessor has handed its last writes in by then. */
const lookAgainMs = lastWritesMs + 1_000;

/** Who is in the room, told to the database. */
export class Attendance {
  readonly #parts: AttendanceParts;

  constructor(parts: AttendanceParts) {
    this.#parts = parts;
  }

  /** The agent is in the room and hears: told again until the database has heard it. Stops when the session is not ours any more. */
  async announce(): Promise<void> {
    const { lease, connection, now, isOver, caughtUp, warn } = this.#parts;
    const self = { ...connection.room.self, at: now() };
    while (!isOver()) {
      try {
        const status = await reportAgentReady(this.#parts, lease, self);
        // A session that ended while we came in leaves a room behind that nobody else closes.
        return await (status ? this.#announced(status) : this.lost());
      } catch (error) {
        warn('the agent could not be announced yet', { err: error });
        caughtUp();
        await sleep(announceAgainMs);
      }
    }
  }

  /** What we write is refused: the session is over, which the notice of it may tell later, or another host's. */
  async lost(): Promise<void> {
    const { record, post } = this.#parts;
    post({ kind: (await record.hasEnded()) ? 'session_ended' : 'taken_over' });
  }

  joined(person: PersonInRoom): void {
    this.#report(reportJoined, person, this.#parts.now());
  }

  left(person: PersonInRoom, agoMs: number): void {
    this.#report(reportLeft, person, new Date(this.#parts.now().getTime() - agoMs));
  }

  async #announced(status: SessionStatus): Promise<void> {
    const { notifier, lease, connection, catchUp, caughtUp, wake } = this.#parts;
    notifier.tell(channels.ready, lease.session_id);
    await catchUp();
    caughtUp();
    if (lease.epoch > 1) this.#catchUpLater();
    if (status === 'running' || connection.room.persons().length > 0) wake();
  }

  /** A predecessor's last write may come after our look, and the notice of it may be lost. */
  #catchUpLater(): void {
    const { isOpen, catchUp } = this.#parts;
    setTimeout(() => {
      if (isOpen()) void bestEffort('the first look has seen what was stored by then', catchUp());
    }, lookAgainMs).unref();
  }

  #report(report: typeof reportJoined, { sid, identity, isLeg }: PersonInRoom, at: Date): void {
    const { db, notifier, connection, lease } = this.#parts;
    const who = { sid, identity, role: 'person', isLeg, source: 'host', at, epoch: lease.epoch } as const;
    const reported = report({ db, notifier }, { room: connection.room.name, ...who });
    void bestEffort('the room server tells of it too, and the worker looks', reported);
  }
}
