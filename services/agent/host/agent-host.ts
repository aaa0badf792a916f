import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { DeathWatch } from '../../core/hosts/death-watch.ts';
import { releaseDeadHosts } from '../../core/hosts/release-dead-hosts.ts';
import type { Rooms } from '../../core/rooms/rooms.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep, sleepOrStop } from '../../process/sleep.ts';
import { type Database, isDatabaseUnavailable } from '../../store/database.ts';
import type { Notifier } from '../../store/notify.ts';
import { channels } from '../../store/notify.ts';
import {
  acknowledgeAssigned,
  assignWarmRooms,
  claimSessions,
  hostWork,
  type Lease,
  releaseSession,
  watchOthers,
} from '../../store/tables/hosts.ts';
import { Conversation } from '../conversation/conversation.ts';
import type { ConversationDeps } from '../conversation/executors/executors.ts';
import { type Loaded, loadConversation, makeVersions } from '../conversation/loading.ts';
import { takeUp } from '../conversation/taking-up.ts';
import type { AgentRoom } from '../room/agent-room.ts';
import { JoinFailures } from './join-failures.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { atLeastEveryMs, isWorkFor, lookAtOthersEveryMs, pollMs } from './looks.ts';
import { TakeUps } from './take-ups.ts';
import { WarmRooms } from './warm-rooms.ts';

export interface AgentHostDeps extends Omit<ConversationDeps, 'now' | 'maySpeak' | 'giveBack' | 'othersAreThere'> {
  db: Database;
  rooms: Rooms;
  notifier: Notifier;
  logger: Logger;
  keeper: LeaseKeeper;
}

export interface AgentHostOptions {
  capacity: number;
  warmRooms: number;
  warmRoomSeconds: number;
}

const reconcileEveryMs = 5_000;
/** New sessions are joined so many at a time, orphaned ones (whose callers hear silence) somewhat more. */
const maxJoins = 4;
const maxTakeovers = 8;
/** Joins of hidden listeners; a successor joins no more at once. */
const maxListeners = maxTakeovers;
/** Conversations on their way to one successor: those that it joins, and those that get ready. All others go on talking meanwhile. */
const givenAtOnce = 2 * maxTakeovers;
/** Before this host must have ended: what is left is given away at once, for whoever can take it. */
const inHasteMs = 10_000;
/** Warm rooms count against the capacity: more than this share of it is never kept for callers who may not come. */
const mostWarmShare = 1 / 8;
const successorWithinMs = 12_000;
const lookForSuccessorMs = 300;
const lookWhetherEmptyMs = 500;
/** On a machine whose cores were all busy a second was too short, about once in 200 conversations. */
const lastTextsTravelMs = 2_500;

/**
 * Many conversations in one process: takes up the sessions that came with its warm rooms, claims those that have no host,
 * proves other hosts dead and inherits from them, and gives everything away when it is told to stop.
 */
export class AgentHost {
  readonly #deps: AgentHostDeps;
  readonly #options: AgentHostOptions;
  readonly #conversations = new Map<string, Conversation>();
  readonly #takeUps = new TakeUps();
  readonly #warm: WarmRooms;
  readonly #deaths = new DeathWatch();
  readonly #joins = new JoinFailures();
  readonly #stopping = new AbortController();
  #lookedAtOthers = Number.NEGATIVE_INFINITY;
  readonly #versions = makeVersions();
  readonly #openingListeners = pLimit(maxListeners);
  readonly #givingAway = pLimit(givenAtOnce);
  #inHaste = false;
  #lookingForSuccessor: Promise<boolean> | undefined;
  #watching: Promise<void> | undefined;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #timers: NodeJS.Timeout[] = [];
  #draining = false;
  /** Takes nothing new, and goes on with what it has. */
  #retiring = false;

  constructor(deps: AgentHostDeps, options: AgentHostOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#warm = new WarmRooms({
      db: deps.db,
      rooms: deps.rooms,
      hostId: deps.keeper.id,
      atRest: options.warmRooms,
      most: Math.max(options.warmRooms, Math.floor(options.capacity * mostWarmShare)),
      keptSeconds: options.warmRoomSeconds,
      onReady: (room) => {
        this.#joins.succeeded(room);
        this.poll();
      },
      onFailed: (room) => void this.#joins.failed(room),
    });
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.poll(), pollMs),
      setInterval(() => this.#watch(), atLeastEveryMs),
      setInterval(() => void this.#reconcile(), reconcileEveryMs),
    ];
    this.#watch();
    this.poll();
  }

  get id(): string {
    return this.#deps.keeper.id;
  }

  /** Ready for work: a warm room is there, or none is wanted. */
  get ready(): boolean {
    return (
      !this.#draining &&
      !this.#retiring &&
      (this.#warm.ready > 0 || this.#options.warmRooms === 0 || this.#load() >= this.#options.capacity)
    );
  }

  figures(): { live: number; starting: number; warm: number; capacity: number } {
    return {
      live: this.#conversations.size,
      starting: this.#takeUps.size,
      warm: this.#warm.ready,
      capacity: this.#options.capacity,
    };
  }

  /** A notice from the database: a hint to look, never more. */
  heard(channel: string, payload: string): void {
    if (isWorkFor(this.id, channel, payload)) return this.poll();
    if (channel !== channels.session) return;
    const [news, session = '', sid] = payload.split(' ');
    const conversation = this.#conversations.get(session);
    if (!conversation) return;
    if (news === 'joined') conversation.joined(sid);
    if (news === 'limit') conversation.limitReached();
    if (news === 'ended') void conversation.finish();
    if (news === 'text') void bestEffort('a successor looks a second time by itself', conversation.catchUp());
  }

  /** Looks for work now; a look that is asked for during another follows it. */
  poll(): void {
    if (this.#polling) {
      this.#pollAgain = true;
      return;
    }
    this.#polling = this.#look()
      .catch((error: unknown) => this.#couldNotLook(error))
      .finally(() => {
        this.#polling = undefined;
        if (this.#pollAgain) {
          this.#pollAgain = false;
          this.poll();
        }
      });
  }

  /** What we own is ours, and nothing else: stops what was taken over, takes up what an answer that got lost gave us. */
  async #reconcile(): Promise<void> {
    const owned = await bestEffort('the next look tells', this.#deps.keeper.owned());
    if (!owned) return;
    const epochs = new Map(owned.map((lease) => [lease.session_id, lease.epoch]));
    for (const [session, conversation] of this.#conversations) {
      if (epochs.get(session) !== conversation.lease.epoch) void this.#lost(conversation);
    }
    if (!this.#draining) for (const lease of owned) this.#begin(lease);
    await bestEffort('the next look tells', this.#warm.reconcile());
  }

  /** Somebody declared this host dead: others speak in its sessions, or soon will. */
  declaredDead(): void {
    this.#deps.logger.warn('this host was declared dead and begins anew');
    void this.#warm.discardAll();
    void this.#reconcile();
  }

  /** Whether this host may leave without a loss, also with nobody else there when `alone`; from then on it takes nothing more. */
  async retire(options: { alone: boolean }): Promise<boolean> {
    this.#retiring = await this.#deps.keeper.retire(options);
    return this.#retiring;
  }

  /** Resolves when the conversations that it has are over, or after `withinMs`. */
  async emptied(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (this.#conversations.size + this.#takeUps.size > 0 && performance.now() < deadline) {
      await sleep(lookWhetherEmptyMs);
    }
  }

  /**
   * Gives every session away between turns and stops, as fast as others can take them; what is left towards the end of `withinMs` goes
   * at once, and is cut where it is. Resolves when this process may end.
   */
  async stop(withinMs: number): Promise<void> {
    this.#draining = true;
    this.#stopping.abort();
    const haste = setTimeout(() => this.#makeHaste(), withinMs - inHasteMs);
    for (const timer of this.#timers) clearInterval(timer);
    await bestEffort('a database that is away assigns nothing either', this.#deps.keeper.drain());
    await Promise.all([this.#polling, this.#watching]);
    await this.#warm.close();
    const successors = await this.#successors();
    this.#givingAway.concurrency = successors === 0 || this.#inHaste ? Infinity : givenAtOnce * (successors ?? 1);
    await Promise.all([...this.#conversations.values()].map((conversation) => this.#handOver(conversation)));
    clearTimeout(haste);
    await this.#deps.keeper.stop();
  }

  #makeHaste(): void {
    this.#inHaste = true;
    this.#givingAway.concurrency = Infinity;
    if (this.#givingAway.pendingCount > 0)
      this.#deps.logger.warn(
        { left: this.#conversations.size },
        'others take over more slowly than this host must leave',
      );
  }

  #couldNotLook(error: unknown): void {
    if (!isDatabaseUnavailable(error)) this.#deps.logger.error({ err: error }, 'looking for work failed');
  }

  async #look(): Promise<void> {
    if (this.#draining) return;
    const { db, keeper } = this.#deps;
    const { assigned, unclaimed } = await hostWork(db, keeper.id);
    if (assigned) for (const lease of await acknowledgeAssigned(db, keeper.id)) this.#begin(lease);
    if (this.#retiring) return;
    if (unclaimed) await this.#serveWaiting();
    // A host that reaches no room leaves sessions to others, and tries again with a few.
    if (!this.#joins.mayJoin) return;
    if (unclaimed) await this.#claim();
    const room = Math.min(
      this.#options.capacity - this.#load(),
      maxJoins - this.#takeUps.joins(0) - this.#warm.opening,
    );
    this.#warm.refill(Math.max(0, room));
  }

  /** Callers who found no warm room wait for one: they are served before anybody who comes later. */
  async #serveWaiting(): Promise<void> {
    if (this.#warm.ready === 0) return;
    for (const lease of await assignWarmRooms(this.#deps.db, this.#deps.keeper.id)) {
      this.#deps.notifier.tell(channels.ready, lease.session_id);
      this.#begin(lease);
    }
  }

  /** Orphaned sessions, and fresh ones that no warm room can serve. */
  async #claim(): Promise<void> {
    const { db, keeper } = this.#deps;
    const free = this.#options.capacity - this.#load();
    const total = Math.min(free, maxTakeovers - this.#takeUps.joins(1) - this.#takeUps.joins(0));
    if (total <= 0) return;
    const fresh = Math.max(0, Math.min(free, maxJoins - this.#takeUps.joins(0)));
    const hasWarmRooms = this.#options.warmRooms > 0;
    for (const lease of await claimSessions(db, keeper.id, { fresh, total, hasWarmRooms })) this.#begin(lease);
  }

  /** One look at the others at a time. */
  #watch(): void {
    if (this.#watching || this.#draining || !this.#othersAreDue(performance.now())) return;
    this.#watching = this.#watchOthers()
      .catch((error: unknown) => {
        this.#deaths.forget();
        this.#couldNotLook(error);
      })
      .finally(() => {
        this.#watching = undefined;
      });
  }

  async #watchOthers(): Promise<void> {
    this.#lookedAtOthers = performance.now();
    const { db, keeper, logger } = this.#deps;
    const dead = await releaseDeadHosts(db, this.#deaths, keeper);
    for (const one of dead) logger.warn(one, 'a host died and its sessions wait for another');
    if (dead.length > 0) this.poll();
    this.#lookInTime(this.#deaths.nextProofAt);
  }

  /** Whenever there is time while one is suspected; else half a step early, since what is due just after one would wait for the next. */
  #othersAreDue(now: number): boolean {
    const { nextProofAt, watched } = this.#deaths;
    return nextProofAt !== undefined || now - this.#lookedAtOthers >= lookAtOthersEveryMs(watched) - atLeastEveryMs / 2;
  }

  /** Callers hear silence until a death is proven: the look that may prove it is made at its moment. */
  #lookInTime(proofAt: number | undefined): void {
    const leftMs = (proofAt ?? 0) - performance.now();
    if (leftMs > 0 && leftMs < atLeastEveryMs) setTimeout(() => this.#watch(), leftMs);
  }

  /** Sessions, warm rooms and what is on its way: all count against the capacity. */
  #load(): number {
    return this.#conversations.size + this.#takeUps.size + this.#warm.count;
  }

  #begin(lease: Lease): void {
    const { session_id: session } = lease;
    if (this.#conversations.get(session)?.lease.epoch === lease.epoch || !this.#takeUps.begin(lease)) return;
    this.#take(lease)
      .then((isTaken) => {
        this.#takeUps.joined(lease);
        if (isTaken) this.#joins.succeeded(session);
      })
      .catch((error: unknown) => this.#couldNotTake(lease, error));
  }

  async #couldNotTake(lease: Lease, error: unknown): Promise<void> {
    const { session_id: session } = lease;
    const keptMs = this.#joins.failed(session);
    this.#deps.logger.warn(
      { err: error, session: hashPrefix(session), keptMs },
      'a session could not be taken up and is given back',
    );
    this.#takeUps.keepBack(lease);
    await sleepOrStop(keptMs, this.#stopping.signal);
    await this.#giveBack(lease);
    this.#takeUps.givenBack(lease);
  }

  /** False when it is over, or another host's. */
  async #take(lease: Lease): Promise<boolean> {
    const loaded = await loadConversation(this.#deps.db, this.#versions, lease);
    if (!loaded) return false;
    const { session_id: session } = lease;
    await this.#conversations.get(session)?.stop();
    // Whoever found the session, a look for work or the comparison with what we own: a second connection would cut the warm one's words.
    const warm = this.#warm.take(loaded.session.room_name);
    try {
      await this.#goOnWith(lease, loaded, warm);
      return true;
    } catch (error) {
      await warm?.leave();
      throw error;
    }
  }

  async #goOnWith(lease: Lease, loaded: Loaded, warm: AgentRoom | undefined): Promise<void> {
    const { session_id: session, epoch } = lease;
    const deps = this.#conversationDeps();
    const conversation = new Conversation(deps, lease, await takeUp(deps, lease, loaded, warm), () => {
      if (this.#conversations.get(session)?.lease.epoch === epoch) this.#conversations.delete(session);
      this.poll();
    });
    // Before anything can be heard, so that no notice about the session is missed.
    this.#conversations.set(session, conversation);
    await conversation.begin();
  }

  #conversationDeps(): ConversationDeps {
    const { keeper } = this.#deps;
    return {
      ...this.#deps,
      now: () => keeper.now(),
      maySpeak: (session) => keeper.maySpeak(session),
      // While the database is away nobody could take it, and what is owed stays here.
      othersAreThere: async () => ((await this.#successors()) ?? 0) > 0,
      giveBack: async (lease) => {
        // It is as if its room could not be joined: others have their chance first.
        this.#joins.failed(lease.session_id);
        await this.#giveBack(lease);
      },
    };
  }

  async #giveBack({ tenant_id, session_id, epoch }: Lease): Promise<void> {
    const released = this.#deps.db.asTenant(tenant_id, (tx) => releaseSession(tx, { session: session_id, epoch }));
    await bestEffort('the next look at what this host owns takes it up again', released);
    this.#deps.notifier.tell(channels.work, '');
  }

  /** Not ours any more: ended, or with another host. */
  async #lost(conversation: Conversation): Promise<void> {
    if (await conversation.hasEnded()) await conversation.finish();
    else await conversation.stop();
  }

  async #handOver(conversation: Conversation): Promise<void> {
    const hasSuccessor = await this.#givingAway(() => this.#give(conversation));
    // What was sent before the successor heard is still on its way to us.
    if (hasSuccessor) await conversation.waitUntilOver(lastTextsTravelMs);
    await conversation.stop();
  }

  /** Resolves when somebody else has it, or nobody takes it; says whether somebody was there to. */
  async #give(conversation: Conversation): Promise<boolean> {
    const hasSuccessor = await this.#hasSuccessor();
    // It goes on until its hidden listener is there.
    if (hasSuccessor) await this.#openingListeners(() => conversation.keepListening(() => this.#inHaste));
    await conversation.pause(() => this.#inHaste);
    await this.#giveBack(conversation.lease);
    const deadline = performance.now() + (this.#inHaste ? inHasteMs / 2 : successorWithinMs);
    while (performance.now() < deadline && !(await conversation.isOthers()) && (await this.#hasSuccessor())) {
      await conversation.waitUntilOver(lookForSuccessorMs);
    }
    return hasSuccessor;
  }

  /** Somebody who may take over what we give away: when everything stops at once, nobody is waited for. One look serves all. */
  #hasSuccessor(): Promise<boolean> {
    this.#lookingForSuccessor ??= this.#lookForSuccessor().finally(() => {
      this.#lookingForSuccessor = undefined;
    });
    return this.#lookingForSuccessor;
  }

  /** While the database does not answer nobody knows, and a successor may be on its way. */
  async #lookForSuccessor(): Promise<boolean> {
    return (await this.#successors()) !== 0;
  }

  /** How many may take over; undefined while nobody knows. */
  async #successors(): Promise<number | undefined> {
    const look = await bestEffort('without the database nobody knows', watchOthers(this.#deps.db, this.#deps.keeper));
    return look?.others.filter((other) => !other.draining && !other.lock_free).length;
  }
}
