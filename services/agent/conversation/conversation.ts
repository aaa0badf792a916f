import type { Logger } from 'pino';
import type { CompiledTool } from '../../agent-files/definition/compiled.ts';
import { speechNeeds } from '../../agent-files/definition/speech-needs.ts';
import type { InteractionMode, TurnTiming } from '../../contract/session.ts';
import { reportAgentReady, reportJoined, reportLeft } from '../../core/presence/presence.ts';
import type { Rooms } from '../../core/rooms/rooms.ts';
import { endUnderLease } from '../../core/sessions/end.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { bestEffort } from '../../process/best-effort.ts';
import { sleep } from '../../process/sleep.ts';
import { ifLate, within } from '../../process/within.ts';
import type { Database } from '../../store/database.ts';
import { channels, type Notifier } from '../../store/notify.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import { keepDraft, type MessageRow } from '../../store/tables/messages.ts';
import type { OwedKeeper } from '../owed/kept.ts';
import { AgentRoom, type RoomListener } from '../room/agent-room.ts';
import type { Sent } from '../room/floods.ts';
import type { IncomingText } from '../room/hearing.ts';
import type { Microphone } from '../room/microphone.ts';
import type { PersonInRoom } from '../room/persons.ts';
import { runBuiltin } from './builtins.ts';
import { builtinsAgain } from './builtins-again.ts';
import { Leaving } from './executors/leaving.ts';
import { Lines } from './executors/lines.ts';
import { Model } from './executors/model.ts';
import { Outputs } from './executors/outputs.ts';
import { type OpenSpeech, Speech } from './executors/speech.ts';
import { Turns } from './executors/turns.ts';
import { Inbox } from './inbox.ts';
import { type CanSpeak, languageOf, switchLanguage } from './language.ts';
import { type Loaded, settleInterruptedCalls } from './loading.ts';
import { Mailbox } from './mailbox.ts';
import { RoomConnection } from './room-connection.ts';
import type { ToolsFor } from './run-tool.ts';
import { openSessionRecord, type SessionRecord } from './session-record.ts';
import { modelSessionOptions, startModelSession } from './start-model-session.ts';
import type { Effect, RoomEffect } from './state/effect.ts';
import type { Fact, TurnFact } from './state/fact.ts';
import { learn } from './state/learn.ts';
import { begin, type ConversationState } from './state/state.ts';
import { type SpeakingGate, TextOutput } from './text-output.ts';
import { type RunTool, ToolGuard } from './tool-guard.ts';
import { Transcript } from './transcript.ts';

export interface ConversationDeps {
  db: Database;
  rooms: Rooms;
  notifier: Notifier;
  logger: Logger;
  env: NodeJS.ProcessEnv;
  /** Now, by the database's clock. */
  now(): Date;
  /** Keeps what is owed to the database beyond the end of this process; undefined where there is no place for it. */
  owed: OwedKeeper | undefined;
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
const announceAgainMs = 500;

/**
 * One conversation on this host. What happens in its room, in the database and with its model is posted as a fact; what is to be done
 * about it is carried out here and in executors/. It ends when the session ends, or stops when another host takes over.
 */
export class Conversation implements RoomListener {
  readonly lease: Lease;
  readonly #deps: ConversationDeps;
  readonly #loaded: Loaded;
  readonly #mailbox: Mailbox<ConversationState, Fact, Effect>;
  readonly #transcript: Transcript;
  readonly #record: SessionRecord;
  readonly #inbox: Inbox;
  readonly #outputs: Outputs;
  readonly #model: Model;
  readonly #turns: Turns;
  readonly #lines: Lines;
  readonly #speech: Speech;
  readonly #connection: RoomConnection;
  readonly #runOutside: RunTool;
  readonly #guard: ToolGuard;
  readonly #leaving: Leaving;
  readonly #ending = Promise.withResolvers<void>();
  #patienceMs = 0;

  private constructor(deps: ConversationDeps, lease: Lease, loaded: Loaded, room: AgentRoom, onOver: () => void) {
    this.lease = lease;
    this.#deps = deps;
    this.#loaded = loaded;
    this.#mailbox = new Mailbox(beginningOf(loaded), learn, (effect) => this.#carryOut(effect));
    this.#record = openSessionRecord(deps.db, lease);
    this.#connection = this.#makeConnection(room);
    this.#runOutside = outsideTools(deps, loaded, () => this.#connection.room);
    this.#transcript = this.#makeTranscript();
    this.#guard = this.#makeGuard();
    this.#speech = this.#makeSpeech();
    this.#outputs = new Outputs(() => this.#speech.makeOutput() ?? this.#makeTextOutput());
    this.#model = new Model({
      wake: async () => this.#speech.model ?? startModelSession(loaded, this.#modelParts()),
      onFault: this.#onFault,
    });
    this.#turns = this.#makeTurns();
    this.#lines = new Lines({ ...this.#telling(), language: () => languageOf(loaded) });
    this.#inbox = this.#makeInbox();
    this.#leaving = this.#makeLeaving(onOver);
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
    conversation.#inbox.resume(settled);
    if (ends()) conversation.#post({ kind: 'end_wanted', reason: 'agent_ended' });
    onBegun(conversation);
    conversation.#attachTo(room);
    await conversation.#announce();
  }

  onText(text: IncomingText): void {
    this.#post({ kind: 'text_heard', text, playout: this.#speech.playout });
  }

  onPersonJoined(person: PersonInRoom): void {
    this.wake();
    this.#report(reportJoined, person, this.#deps.now());
  }

  onPersonLeft(person: PersonInRoom, agoMs: number): void {
    this.#report(reportLeft, person, new Date(this.#deps.now().getTime() - agoMs));
  }

  onMicrophone(microphone: Microphone): void {
    if (!this.over) this.#speech.onMicrophone(microphone);
  }

  onModeWanted(mode: InteractionMode | undefined): void {
    this.#post({ kind: 'mode_wanted', mode });
  }

  onInterruptWanted(): void {
    this.#post({ kind: 'interrupt_pressed' });
  }

  onFlood(what: Sent): void {
    this.#warn('a participant sends too much and is sent out of the room', { what });
  }

  onInterrupted(): void {
    this.#post({ kind: 'room_away' });
  }

  onRestored(): void {
    this.#post({ kind: 'room_back' });
  }

  onGone(): void {
    this.#post({ kind: 'room_gone' });
  }

  get over(): boolean {
    return this.#mailbox.state.phase === 'over';
  }

  /** Resolves when this host has nothing to do with the conversation any more, or after `deadlineMs`. */
  async waitUntilOver(deadlineMs: number): Promise<void> {
    await within(deadlineMs, 'the end', this.#ending.promise).catch(ifLate(undefined));
  }

  /** The person is there. */
  wake(): void {
    this.#post({ kind: 'person_came', slotLapsed: this.#speech.slotLapsed });
  }

  /** A cap of the agent or its tenant is used up: the person is told, and the session ends. May be told again. */
  limitReached(): void {
    this.#post({ kind: 'cap_reached' });
  }

  /** Answers what is stored and unanswered and what this host has not heard itself: another one did, on its way out. */
  async catchUp(): Promise<void> {
    this.#inbox.resume({ messages: await this.#record.messages(), toolCalls: this.#loaded.toolCalls });
    if (this.#mailbox.state.waiting.length > 0) this.wake();
  }

  hasEnded(): Promise<boolean> {
    return this.#record.hasEnded();
  }

  /** Between two turns, ready to be given away: what is written from now on is stored for the successor. */
  async pause(patienceMs: number): Promise<void> {
    if (this.#mailbox.state.phase !== 'open') return;
    this.#patienceMs = patienceMs;
    this.#post({ kind: 'hand_over' });
    await this.#mailbox.until(isFree);
    await this.#turns.lastWordsArrived();
    await this.#connection.settled();
    await this.#speech.hearOut(patienceMs);
    await this.#transcript.drained(lastWritesMs);
  }

  /**
   * Hears what is written until `stop`, also when a successor has sent the agent out of the room. Without it that is lost, as
   * when this host had died.
   */
  async keepListening(): Promise<void> {
    await this.#connection.keepListening();
  }

  /** After it was given away: a successor has it and hears, or nobody needs to. */
  isOthers(): Promise<boolean> {
    return this.over ? Promise.resolve(true) : this.#record.isOthers();
  }

  /** The session is over: what was said is handed in, then the room goes. Resolves when this host is out of it. */
  async finish(): Promise<void> {
    this.#post({ kind: 'session_ended' });
    await this.#leaving.done;
  }

  /** The session is another host's: not another word, but what only we heard is stored for it. Resolves when this host is out of it. */
  async stop(): Promise<void> {
    this.#post({ kind: 'taken_over' });
    await this.#leaving.done;
  }

  #post(fact: Fact): void {
    this.#mailbox.post(fact);
  }

  #carryOut(effect: Effect): void {
    try {
      this.#begin(effect);
    } catch (error) {
      this.#onFault(error);
    }
  }

  #begin(effect: Effect): void {
    switch (effect.kind) {
      case 'take_in':
        return void this.#takeIn(effect.text);
      case 'say':
        return void this.#lines.say(effect);
      case 'hold':
      case 'release':
      case 'time_hold':
      case 'hurry':
      case 'peek':
      case 'dismiss':
      case 'caption':
      case 'ask_spoken':
      case 'listen':
      case 'stop_listening':
      case 'read_the_rest':
      case 'show_mode':
      case 'mind_silence':
        return this.#speech.carryOut(effect);
      case 'show':
      case 'retake_room':
      case 'tell_unattended':
      case 'announce':
      case 'time_patience':
      case 'leave':
        return this.#inRoom(effect);
      default:
        return this.#turns.carryOut(effect);
    }
  }

  #inRoom(effect: RoomEffect): void {
    switch (effect.kind) {
      case 'show':
        return this.#connection.room.showState(effect.state);
      case 'retake_room':
        return void this.#connection.retake();
      case 'tell_unattended':
        return void this.#record.unattended();
      case 'announce':
        return void this.#announce();
      case 'time_patience':
        return void setTimeout(() => this.#post({ kind: 'patience_over' }), this.#patienceMs);
      case 'leave':
        return this.#leaving.begin(effect.how);
      default:
        return effect satisfies never;
    }
  }

  async #takeIn(text: IncomingText): Promise<void> {
    await this.#inbox.hear(text).catch((error: unknown) => {
      this.#warn('a text could not be taken in', { err: error });
    });
  }

  /** The agent is in the room and hears: told again until the database has heard it. Stops when the session is not ours any more. */
  async #announce(): Promise<void> {
    const { session_id: session } = this.lease;
    const self = { ...this.#connection.room.self, at: this.#deps.now() };
    while (!this.over) {
      try {
        const status = await reportAgentReady(this.#deps, this.lease, self);
        // A session that ended while we came in leaves a room behind that nobody else closes.
        if (!status) return await this.#lost();
        this.#deps.notifier.tell(channels.ready, session);
        await this.catchUp();
        this.#inbox.caughtUp();
        if (this.lease.epoch > 1) this.#catchUpLater();
        if (status === 'running' || this.#connection.room.persons().length > 0) this.wake();
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
      if (isOpen(this.#mailbox.state))
        void bestEffort('the first look has seen what was stored by then', this.catchUp());
    }, lastWritesMs + 1_000).unref();
  }

  /** What we write is refused: the session is over, which the notice of it may tell later, or another host's. */
  async #lost(): Promise<void> {
    this.#post({ kind: (await this.hasEnded()) ? 'session_ended' : 'taken_over' });
  }

  #attachTo(room: AgentRoom): void {
    this.#speech.enter(room);
    room.attach(this);
  }

  #makeTextOutput(): TextOutput {
    return new TextOutput(
      () => this.#connection.room,
      () => this.#deps.maySpeak(this.lease.session_id),
      (error) => void this.#connection.renew(error),
    );
  }

  #makeConnection(room: AgentRoom): RoomConnection {
    return new RoomConnection(room, {
      rooms: this.#deps.rooms,
      isOver: () => this.over,
      isOpen: () => isOpen(this.#mailbox.state),
      onText: (text) => this.onText(text),
      standing: () => this.#record.standing(),
      post: (fact) => this.#post(fact),
      onMoved: (to) => this.#attachTo(to),
      warn: (text, fields) => this.#warn(text, fields),
    });
  }

  #makeTranscript(): Transcript {
    const transcript = new Transcript(this.#deps, this.lease, {
      stale: () => void this.#lost(),
      problem: ({ kind, error }) => this.#warn('a write of the transcript was held up', { kind, err: error }),
    });
    transcript.continueOrdinals(this.#loaded.toolCalls);
    return transcript;
  }

  #makeGuard(): ToolGuard {
    const ledger = this.#transcript.ledger(() => this.#turns);
    return new ToolGuard(this.#loaded.definition.limits, ledger, (tool, args, call) => this.#runTool(tool, args, call));
  }

  #makeSpeech(): Speech {
    const { openSpeech, maySpeak, now } = this.#deps;
    const { definition, session } = this.#loaded;
    return new Speech({
      post: (fact) => this.#post(fact),
      loaded: this.#loaded,
      ...{ openSpeech, now },
      modelSessionOptions: () => modelSessionOptions(this.#loaded, this.#modelParts()),
      room: () => this.#connection.room,
      captions: () => this.#makeTextOutput(),
      maySpeak: () => maySpeak(session.id),
      isSpoken: () => this.#mailbox.state.mode.isSpoken,
      becomeSpoken: () => this.#record.becomeSpoken(speechNeeds(definition, session.language)),
      warn: (text, fields) => this.#warn(text, fields),
    });
  }

  #modelParts() {
    const { now, env } = this.#deps;
    const isSpoken = () => this.#mailbox.state.mode.isSpoken;
    return { guard: this.#guard, onWords: (text: string) => this.#turns.words(text), isSpoken, now: now(), env };
  }

  /** What turns and lines have in common. */
  #telling() {
    return {
      post: (fact: TurnFact) => this.#post(fact),
      ...{ outputs: this.#outputs, model: this.#model, transcript: this.#transcript, onFault: this.#onFault },
    };
  }

  #makeTurns(): Turns {
    const { countTokens, onTurn } = this.#deps;
    const { agent, participant_identity: person } = this.#loaded.session;
    const { session_id: session, tenant_id: tenant, epoch } = this.lease;
    return new Turns({
      ...this.#telling(),
      ...{ guard: this.#guard, onTurn },
      keepDraft: (turn, draft) => keepDraft(this.#deps.db, { tenant, session, epoch }, turn, draft),
      resumes: () => this.#speech.model === undefined,
      arrived: (withinMs) => this.#connection.room.wordsArrived(person, withinMs),
      onTokens: (tokens) => countTokens({ tenant, agent }, tokens),
    });
  }

  #makeInbox(): Inbox {
    return new Inbox(
      {
        limits: this.#loaded.definition.limits,
        transcript: this.#transcript,
        waiting: () => this.#mailbox.state.waiting.length,
        now: () => this.#deps.now(),
        isOpen: () => isOpen(this.#mailbox.state),
        onWaits: (text) => this.#post({ kind: 'text_waits', text }),
        onFound: (texts) => this.#post({ kind: 'texts_found', texts }),
        catchUp: () => this.catchUp(),
        onTooMuch: (key) => this.#post({ kind: 'too_much_written', key }),
      },
      { isSuccessor: this.lease.epoch > 1 },
    );
  }

  #makeLeaving(onOver: () => void): Leaving {
    const { session_id: session, tenant_id: tenant, epoch } = this.lease;
    const { db, rooms, notifier } = this.#deps;
    return new Leaving({
      fallSilent: () => this.#turns.carryOut({ kind: 'fall_silent' }),
      turnIsOver: () => this.#mailbox.until(isFree),
      ...{ model: this.#model, speech: this.#speech, transcript: this.#transcript, record: this.#record },
      connection: this.#connection,
      rooms,
      endSession: (reason) =>
        endUnderLease({ db, rooms, notifier }, { tenant, session, reason, source: 'agent', epoch }),
      onOver: () => {
        this.#ending.resolve();
        onOver();
      },
      warn: (text, fields) => this.#warn(text, fields),
    });
  }

  async #runTool(
    tool: CompiledTool,
    args: Record<string, unknown>,
    call: { id: string; signal: AbortSignal },
  ): Promise<unknown> {
    if (!tool.builtin) return this.#runAtLength(tool, this.#runOutside(tool, args, call));
    return runBuiltin(tool.builtin, args, {
      spoke: () => this.#turns.output?.hasWords ?? false,
      endAfterTurn: () => this.#post({ kind: 'end_wanted', reason: 'agent_ended' }),
      switchLanguage: (code) => this.#switchLanguage(code),
    });
  }

  async #runAtLength(tool: CompiledTool, work: Promise<unknown>): Promise<unknown> {
    this.#post({ kind: 'tool_began', interruptible: tool.interruptible ?? false });
    const run = this.#speech.fillSilence(work, () => this.#turns.output);
    return run.finally(() => this.#post({ kind: 'tool_ended' }));
  }

  async #switchLanguage(code: string): Promise<string> {
    const { isSpoken } = this.#mailbox.state.mode;
    const name = await switchLanguage(
      { loaded: this.#loaded, record: this.#record, isSpoken, canSpeak: this.#deps.canSpeak },
      code,
    );
    this.#speech.languageChanged();
    return name;
  }

  #report(report: typeof reportJoined, { sid, identity }: PersonInRoom, at: Date): void {
    const { db, notifier } = this.#deps;
    const reported = report(
      { db, notifier },
      {
        room: this.#connection.room.name,
        ...{ sid, identity, role: 'person', source: 'host', at, epoch: this.lease.epoch },
      },
    );
    void bestEffort('the room server tells of it too, and the worker looks', reported);
  }

  readonly #onFault = (error: unknown): void => this.#warn('a turn failed', { err: error });

  #warn(text: string, fields: Record<string, unknown>): void {
    this.#deps.logger.warn({ session: hashPrefix(this.lease.session_id), ...fields }, text);
  }
}

function beginningOf({ definition, session, messages }: Loaded): ConversationState {
  const { limits, speech } = definition;
  return begin({
    rules: {
      mostTurns: limits.turns,
      mostTokens: limits.tokens,
      interruption: speech?.interruption ?? { enabled: false, minWords: 1 },
      microphone: speech !== undefined && definition.settings.sessions.microphone,
      isSpeechToSpeech: definition.voiceAgentKind === 'realtime',
    },
    isGreeted: messages.some(({ role }) => role === 'ASSISTANT'),
    isSpoken: session.interaction_mode === 'VOICE',
    isUnjoined: session.status === 'created',
    used: { turns: messages.filter(isAnswered).length, tokens: session.tokens },
  });
}

const isOpen = ({ phase }: ConversationState) => phase === 'open';

/** No turn is under way, and no line that one waits for. */
const isFree = ({ activity }: ConversationState) => activity.kind === 'idle' || activity.kind === 'leaving';

const outsideTools = ({ toolsFor }: ConversationDeps, { session }: Loaded, room: () => AgentRoom): RunTool =>
  toolsFor({
    owner: { tenant: session.tenant_id, agent: session.agent },
    askPerson: (question) => room().askPerson(session.participant_identity, question),
  });

const isAnswered = (message: MessageRow) => message.role === 'USER' && message.answered_at !== null;
