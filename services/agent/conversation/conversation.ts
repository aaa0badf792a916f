import type { Logger } from 'pino';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { speechNeeds } from '../../agent-files/definition/speech-needs.ts';
import type { EndReason, InteractionMode, TurnTiming } from '../../contract/session.ts';
import { reportAgentReady, reportJoined, reportLeft } from '../../core/presence/presence.ts';
import type { Rooms } from '../../core/rooms/rooms.ts';
import { endSession } from '../../core/sessions/end.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import { ifLate, within } from '../../process/within.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import { AgentRoom, type RoomListener } from '../room/agent-room.ts';
import type { Sent } from '../room/floods.ts';
import type { IncomingText } from '../room/hearing.ts';
import type { Microphone } from '../room/microphone.ts';
import type { PersonInRoom } from '../room/persons.ts';
import { runBuiltin } from './builtins.ts';
import { builtinsAgain } from './builtins-again.ts';
import { Inbox } from './inbox.ts';
import { type CanSpeak, languageOf, switchLanguage } from './language.ts';
import { type Loaded, settleInterruptedCalls } from './loading.ts';
import { Place } from './place.ts';
import type { ToolsFor } from './run-tool.ts';
import { openSessionRecord, type SessionRecord } from './session-record.ts';
import { type SpeakingGate, TextOutput } from './text-output.ts';
import { type RunTool, ToolGuard } from './tool-guard.ts';
import { Transcript } from './transcript.ts';
import { Turns } from './turns.ts';
import { type OpenSpeech, SpokenSide } from './voice/spoken-side.ts';
import { mindOptions, wakeMind } from './wake-mind.ts';

export interface ConversationDeps {
  db: Database;
  rooms: Rooms;
  notifier: Notifier;
  logger: Logger;
  env: NodeJS.ProcessEnv;
  /** Now, by the database's clock. */
  now(): Date;
  /** Whether this host may still speak in the session; asks the database only after this process stood still. */
  maySpeak(session: string): ReturnType<SpeakingGate>;
  /** Runs the tools that reach outside a conversation. */
  toolsFor: ToolsFor;
  countTokens(agent: { tenant: string; agent: string }, tokens: number): void;
  /** What a turn took. */
  onTurn(mode: InteractionMode, timing: TurnTiming): void;
  /** Undefined where this host can neither hear nor speak. */
  openSpeech: OpenSpeech | undefined;
  canSpeak: CanSpeak;
}

const lastWritesMs = 5_000;
/** What was said last is still on its way through the room server when it was handed in; a room that is deleted at once cuts it (seen on a busy machine). */
const lastWordsTravelMs = 500;
const announceAgainMs = 500;

/**
 * One conversation on this host: hears the person, has the model answer one text after another, and writes everything down
 * as it happens. It ends when the session ends, or stops when another host takes over.
 */
export class Conversation implements RoomListener {
  readonly lease: Lease;
  readonly #deps: ConversationDeps;
  readonly #loaded: Loaded;
  readonly #transcript: Transcript;
  readonly #record: SessionRecord;
  readonly #inbox: Inbox;
  readonly #turns: Turns;
  readonly #spoken: SpokenSide;
  readonly #onOver: () => void;
  readonly #runOutside: RunTool;
  readonly #place: Place;
  readonly #ending = Promise.withResolvers<void>();
  #phase: 'open' | 'handing_over' | 'over' = 'open';

  private constructor(deps: ConversationDeps, lease: Lease, loaded: Loaded, room: AgentRoom, onOver: () => void) {
    const { definition, session } = loaded;
    this.#deps = deps;
    this.lease = lease;
    this.#loaded = loaded;
    this.#onOver = onOver;
    this.#record = openSessionRecord(deps.db, lease);
    this.#place = new Place(room, {
      rooms: deps.rooms,
      isOver: () => this.over,
      isOpen: () => this.#phase === 'open',
      onText: (text) => this.onText(text),
      hasEnded: () => this.hasEnded(),
      onMoved: (to) => this.#moveTo(to),
      onEnded: () => void this.finish(),
      onLost: () => void this.#end('room_lost'),
      warn: (text, fields) => this.#warn(text, fields),
    });
    this.#runOutside = outsideTools(deps, loaded, () => this.#place.room);
    this.#transcript = new Transcript(deps, lease, {
      stale: () => void this.#lost(),
      problem: ({ kind, error }) => this.#warn('a write of the transcript was held up', { kind, err: error }),
    });
    this.#transcript.continueOrdinals(loaded.toolCalls);
    this.#spoken = new SpokenSide({
      loaded,
      openSpeech: deps.openSpeech,
      mindOptions: () =>
        mindOptions(loaded, { guard, onWords: (text) => this.#turns.words(text), now: deps.now(), env: deps.env }),
      room: () => this.#place.room,
      turns: () => this.#turns,
      captions: () => this.#makeTextOutput(),
      maySpeak: () => deps.maySpeak(session.id),
      now: () => deps.now(),
      isOpen: () => this.#phase === 'open',
      becomeSpoken: () => this.#record.becomeSpoken(speechNeeds(definition, session.language)),
      onText: (text) => this.onText(text),
      onLost: () => void this.#end('provider_failed'),
      warn: (text, fields) => this.#warn(text, fields),
    });
    const ledger = this.#transcript.ledger(
      () => this.#turns.current,
      () => this.#turns.output,
    );
    const guard = new ToolGuard(definition.limits, ledger, (tool, args, call) => this.#runTool(tool, args, call));
    this.#turns = new Turns(
      {
        room: () => this.#place.room,
        transcript: this.#transcript,
        makeOutput: () => this.#spoken.makeOutput() ?? this.#makeTextOutput(),
        guard,
        wakeMind: async (onWords) =>
          this.#spoken.mind ?? wakeMind(loaded, { guard, onWords, now: deps.now(), env: deps.env }),
        language: () => languageOf(loaded),
        budget: {
          ...definition.limits,
          turnsUsed: loaded.messages.filter(isAnswered).length,
          tokensUsed: session.tokens,
        },
        onQuiet: () => this.#spoken.quiet(),
        arrived: (withinMs) => this.#place.room.wordsArrived(session.participant_identity, withinMs),
        onTokens: (tokens) => deps.countTokens({ tenant: lease.tenant_id, agent: session.agent }, tokens),
        onTurn: deps.onTurn,
        onOver: (reason) => void this.#end(reason),
        onFault: (error) => this.#warn('a turn failed', { err: error }),
      },
      { greeted: loaded.messages.some((message) => message.role === 'ASSISTANT') },
    );
    this.#inbox = new Inbox(
      {
        limits: definition.limits,
        transcript: this.#transcript,
        turns: this.#turns,
        now: () => deps.now(),
        isOpen: () => this.#phase === 'open',
        onWaiting: () => this.wake(),
        catchUp: () => this.catchUp(),
        onTooMuch: (key) => void this.#turns.say(languageOf(loaded).lines.tooManyMessages, `notice ${key}`),
      },
      { isSuccessor: lease.epoch > 1 },
    );
  }

  /**
   * Takes a session up: in the warm room that it was given, or by joining its room. Resolves when the agent is there and
   * hears. `onBegun` is called before anything can be heard, so that no notice about the session is missed.
   */
  static async begin(
    deps: ConversationDeps,
    lease: Lease,
    loaded: Loaded,
    { warm, onBegun, onOver }: { warm: AgentRoom | undefined; onBegun: (it: Conversation) => void; onOver: () => void },
  ): Promise<void> {
    const room = warm ?? (await AgentRoom.join(loaded.session.room_name, deps.rooms, { takesPlace: lease.epoch > 1 }));
    // The person's application can be asked again only from inside the room, where nothing that is said meanwhile is lost.
    const { run, ends } = builtinsAgain(
      deps,
      lease,
      loaded,
      outsideTools(deps, loaded, () => room),
    );
    const settled = await settleInterruptedCalls(deps.db, loaded, run).catch(async (error: unknown) => {
      await room.leave();
      throw error;
    });
    const conversation = new Conversation(deps, lease, settled, room, onOver);
    if (ends()) conversation.#turns.endAfterTurn('agent_ended');
    conversation.#inbox.resume(settled);
    onBegun(conversation);
    conversation.#attachTo(room);
    await conversation.#announce();
  }

  onText(incoming: IncomingText): void {
    if (this.#phase === 'over') return;
    this.#spoken
      .giveWay(incoming)
      .then(() => this.#inbox.hear(incoming))
      .catch((error: unknown) => this.#warn('a text could not be taken in', { err: error }));
  }

  onPersonJoined(person: PersonInRoom): void {
    this.wake();
    this.#report(reportJoined, person, this.#deps.now());
  }

  onPersonLeft(person: PersonInRoom, agoMs: number): void {
    this.#report(reportLeft, person, new Date(this.#deps.now().getTime() - agoMs));
  }

  onMicrophone(microphone: Microphone): void {
    if (this.#phase !== 'over') void this.#spoken.onMicrophone(microphone);
  }

  onInterruptWanted(): void {
    this.#spoken.onInterruptWanted();
  }

  onFlood(what: Sent): void {
    this.#warn('a participant sends too much and is sent out of the room', { what });
  }

  onInterrupted(): void {
    this.#turns.connectionLost();
    this.#spoken.roomAway();
    void this.#record.unattended();
  }

  onRestored(): void {
    this.#spoken.roomBack();
    void this.#announce();
  }

  onGone(why: 'evicted' | 'deleted' | 'lost'): void {
    if (this.#phase === 'over') return;
    this.#spoken.roomAway();
    // A successor sends us out of the room before it hears: our ear stays until it does.
    if (why !== 'evicted') void this.#place.retake();
    else if (!this.#place.hasEar) void this.stop();
  }

  get over(): boolean {
    return this.#phase === 'over';
  }

  /** Resolves when this host has nothing to do with the conversation any more, or after `deadlineMs`. */
  async waitUntilOver(deadlineMs: number): Promise<void> {
    await within(deadlineMs, 'the end', this.#ending.promise).catch(ifLate(undefined));
  }

  /** The person is there. */
  wake(): void {
    if (this.#phase !== 'open') return;
    const slot = this.#spoken.regainSlot();
    if (slot) return void slot.then(() => this.wake());
    this.#spoken.awake();
    this.#turns.run();
  }

  /** A cap of the agent or its tenant is used up: the person is told, and the session ends. May be told again. */
  limitReached(): void {
    if (this.#phase === 'open') void this.#turns.endWith('tenant_limit');
  }

  /** Answers what is stored and unanswered and what this host has not heard itself: another one did, on its way out. */
  async catchUp(): Promise<void> {
    this.#inbox.resume({ messages: await this.#record.messages(), toolCalls: this.#loaded.toolCalls });
    if (this.#turns.waiting > 0) this.wake();
  }

  hasEnded(): Promise<boolean> {
    return this.#record.hasEnded();
  }

  /** Between two turns, ready to be given away: what is written from now on is stored for the successor. */
  async pause(patienceMs: number): Promise<void> {
    if (this.#phase !== 'open') return;
    this.#phase = 'handing_over';
    await this.#turns.pause(patienceMs);
    await this.#place.settled();
    await this.#spoken.hearOut(patienceMs);
    await this.#transcript.drained(lastWritesMs);
  }

  /**
   * Hears what is written until `stop`, also when a successor has sent the agent out of the room. Without it that is lost, as
   * when this host had died.
   */
  async keepEar(): Promise<void> {
    await this.#place.keepEar();
  }

  /** After it was given away: a successor has it and hears, or nobody needs to. */
  isOthers(): Promise<boolean> {
    return this.#phase === 'over' ? Promise.resolve(true) : this.#record.isOthers();
  }

  /** The session is over: what was said is handed in, then the room goes. */
  async finish(): Promise<void> {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#ending.resolve();
    this.#spoken.endSoon();
    this.#onOver();
    await this.#turns.close();
    await this.#spoken.close();
    await this.#transcript.drained(lastWritesMs);
    await sleep(lastWordsTravelMs);
    // Out of the room before anybody deletes it, which the worker does once we are detached: a track that was published in a room
    // that is deleted keeps its thread for the rest of the process (rtc-node 0.13.35).
    await this.#place.leave();
    await this.#record.detach();
    await bestEffort('the worker closes it too', this.#deps.rooms.close(this.#place.room.name));
  }

  /** The session is another host's: not another word, but what only we heard is stored for it. */
  async stop(): Promise<void> {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#ending.resolve();
    this.#spoken.endSoon();
    this.#onOver();
    await this.#turns.close();
    await this.#spoken.close();
    if (await this.#transcript.drained(lastWritesMs)) this.#transcript.tellSuccessor();
    this.#transcript.abandon();
    await this.#place.leave();
  }

  /** What we write is refused: the session is over, which the notice of it may tell later, or another host's. */
  async #lost(): Promise<void> {
    await ((await this.hasEnded()) ? this.finish() : this.stop());
  }

  /** The agent is in the room and hears: told again until the database has heard it. Stops when the session is not ours any more. */
  async #announce(): Promise<void> {
    const { session_id: session } = this.lease;
    const self = { ...this.#place.room.self, at: this.#deps.now() };
    while (this.#phase !== 'over') {
      try {
        const status = await reportAgentReady(this.#deps, this.lease, self);
        // A session that ended while we came in leaves a room behind that nobody else closes.
        if (!status) return await this.#lost();
        this.#deps.notifier.tell(channels.ready, session);
        await this.catchUp();
        this.#inbox.caughtUp();
        if (this.lease.epoch > 1) this.#catchUpLater();
        if (status === 'running' || this.#place.room.persons().length > 0) this.wake();
        return;
      } catch (error) {
        this.#warn('the agent could not be announced yet', { err: error });
        this.#inbox.caughtUp();
        await sleep(announceAgainMs);
      }
    }
  }

  /** A predecessor's last write may come after our look, and the notice of it may be lost. */
  #catchUpLater(): void {
    setTimeout(() => {
      if (this.#phase === 'open') void bestEffort('the first look has seen what was stored by then', this.catchUp());
    }, lastWritesMs + 1_000).unref();
  }

  async #end(reason: EndReason): Promise<void> {
    const { db, rooms, notifier, now } = this.#deps;
    const { session_id: session, tenant_id: tenant } = this.lease;
    await this.#transcript.drained(lastWritesMs);
    await endSession({ db, rooms, notifier, clock: { now } }, { tenant, session, reason, source: 'agent' }).catch(
      (error: unknown) => this.#warn('a session could not be ended and is left to the reaper', { err: error }),
    );
    await this.finish();
  }

  async #moveTo(room: AgentRoom): Promise<void> {
    this.#attachTo(room);
    this.#spoken.roomBack();
    await this.#announce();
  }

  #attachTo(room: AgentRoom): void {
    this.#spoken.enter(room);
    room.attach(this);
  }

  #makeTextOutput(): TextOutput {
    return new TextOutput(
      () => this.#place.room,
      () => this.#deps.maySpeak(this.lease.session_id),
      (error) => void this.#place.renew(error),
    );
  }

  async #runTool(
    tool: CompiledTool,
    args: Record<string, unknown>,
    call: { id: string; signal: AbortSignal },
  ): Promise<unknown> {
    if (!tool.builtin) return this.#spoken.fillSilence(this.#runOutside(tool, args, call));
    return runBuiltin(tool.builtin, args, {
      spoke: () => this.#turns.output.hasWords,
      endAfterTurn: () => this.#turns.endAfterTurn('agent_ended'),
      switchLanguage: (code) => this.#switchLanguage(code),
    });
  }

  async #switchLanguage(code: string): Promise<string> {
    const { isSpoken } = this.#spoken;
    const name = await switchLanguage(
      { loaded: this.#loaded, record: this.#record, isSpoken, canSpeak: this.#deps.canSpeak },
      code,
    );
    this.#spoken.languageChanged();
    return name;
  }

  #report(report: typeof reportJoined, { sid, identity }: PersonInRoom, at: Date): void {
    const { db, notifier } = this.#deps;
    const reported = report(
      { db, notifier },
      {
        room: this.#place.room.name,
        ...{ sid, identity, role: 'person', source: 'host', at, epoch: this.lease.epoch },
      },
    );
    void bestEffort('the room server tells of it too, and the worker looks', reported);
  }

  #warn(text: string, fields: Record<string, unknown>): void {
    this.#deps.logger.warn({ session: hashPrefix(this.lease.session_id), ...fields }, text);
  }
}

const outsideTools = ({ toolsFor }: ConversationDeps, { session }: Loaded, room: () => AgentRoom): RunTool =>
  toolsFor({
    owner: { tenant: session.tenant_id, agent: session.agent },
    askPerson: (question) => room().askPerson(session.participant_identity, question),
  });

const isAnswered = (message: MessageRow) => message.role === 'USER' && message.answered_at !== null;
