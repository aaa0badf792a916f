import type { Logger } from 'pino';
import type { CompiledKeypad } from '../../../agent-files/definition/compiled.ts';
import { speechNeeds } from '../../../agent-files/definition/speech-needs.ts';
import type { InteractionMode, TurnTiming } from '../../../contract/session.ts';
import type { Rooms } from '../../../core/rooms/rooms.ts';
import { endUnderLease } from '../../../core/sessions/end.ts';
import { hashPrefix } from '../../../core/sessions/ids.ts';
import type { Transfers } from '../../../core/telephony/transfer.ts';
import { remember } from '../../../process/remember.ts';
import type { Database } from '../../../store/database.ts';
import type { Notifier } from '../../../store/notify.ts';
import type { Lease } from '../../../store/tables/hosts.ts';
import { keepDraft, type Position } from '../../../store/tables/messages.ts';
import type { ModelWatch } from '../../models/watch.ts';
import type { OwedKeeper } from '../../owed/kept.ts';
import type { AgentRoom, RoomListener } from '../../room/agent-room.ts';
import type { IncomingText } from '../../room/hearing.ts';
import type { PersonInRoom } from '../../room/persons.ts';
import { inDoubt } from '../history.ts';
import { Inbox } from '../inbox.ts';
import { Keypad } from '../keypad.ts';
import { type CanSpeak, inLanguage, languageOf } from '../language.ts';
import type { Loaded } from '../loading.ts';
import type { Mailbox } from '../mailbox.ts';
import { RoomConnection, realPace } from '../room-connection.ts';
import { outsideTools, type ToolsFor } from '../run-tool.ts';
import { openSessionRecord, type SessionRecord } from '../session-record.ts';
import { modelSessionOptions, startModelSession } from '../start-model-session.ts';
import type { Effect, RoomEffect } from '../state/effect.ts';
import type { Fact } from '../state/fact.ts';
import type { ConversationState } from '../state/state.ts';
import { type SpeakingGate, TextOutput } from '../text-output.ts';
import { ToolGuard } from '../tool-guard.ts';
import { Transcript } from '../transcript.ts';
import type { AnnouncingParts } from './announcing.ts';
import { Attendance } from './attendance.ts';
import { Filling } from './filling.ts';
import { Leaving } from './leaving.ts';
import { Lines } from './lines.ts';
import { Model } from './model.ts';
import { Outputs, type PositionToBe } from './outputs.ts';
import { Repeating } from './repeating.ts';
import { type OpenSpeech, Speech } from './speech.ts';
import { Tools } from './tools.ts';
import { Turns } from './turns.ts';

/** What a host has for all its conversations. */
export interface ConversationDeps {
  logger: Logger;
  db: Database;
  rooms: Rooms;
  notifier: Notifier;
  env: NodeJS.ProcessEnv;
  models: ModelWatch;
  /** Now, by the database's clock. */
  now(): Date;
  /** Keeps what is owed to the database beyond the end of this process; undefined where there is no place for it. */
  owed: OwedKeeper | undefined;
  /** Whether this host may still speak in the session; asks the database only after this process stood still. */
  maySpeak(session: string): ReturnType<SpeakingGate>;
  /** Runs the tools that reach outside a conversation. */
  toolsFor: ToolsFor;
  /** Puts callers through. */
  transfers: Transfers;
  countTokens(agent: { tenant: string; agent: string }, tokens: number): void;
  /** What a turn took. */
  onTurn(mode: InteractionMode, timing: TurnTiming): void;
  /** Undefined where this host can neither hear nor speak. */
  openSpeech: OpenSpeech | undefined;
  canSpeak: CanSpeak;
  /** Whether another host could take a session. */
  othersAreThere(): Promise<boolean>;
  /** A session that this host cannot go on with is anybody's who takes it. */
  giveBack(lease: Lease): Promise<void>;
}

/** What the executors of one conversation need of it. */
export interface Carried {
  lease: Lease;
  loaded: Loaded;
  room: AgentRoom;
  /** What came of something is told here. */
  mailbox: Mailbox<ConversationState, Fact, Effect>;
  /** Hears the room that the agent is in. */
  listener: RoomListener;
  /** This host has nothing to do with the conversation any more. */
  onOver: () => void;
}

/** Whoever has not said by then that they have what was written is told again when they come back. */
const confirmedWithinMs = 5_000;

/** A page may be loaded again as often as a visitor likes. */
const mostClients = 100;

/** All that carries something out in one conversation, put together. */
export class Executors {
  readonly record: SessionRecord;
  readonly connection: RoomConnection;
  readonly transcript: Transcript;
  readonly inbox: Inbox;
  readonly speech: Speech;
  readonly turns: Turns;
  readonly attendance: Attendance;
  readonly leaving: Leaving;
  readonly keypad = new Keypad((keys) => this.hear(keys));
  /** How long a turn may take once the conversation is given away. */
  patienceMs = 0;
  /** The person's connections to the room, as far as this host has heard of them. */
  readonly #clients = new Map<string, true>();
  #isToBeConfirmed = false;
  #isConfirming = false;
  readonly #deps: ConversationDeps;
  readonly #it: Carried;
  readonly #filling: Filling;
  readonly #guard: ToolGuard;
  readonly #outputs: Outputs;
  readonly #model: Model;
  readonly #repeating: Repeating;
  readonly #lines: Lines;

  constructor(deps: ConversationDeps, it: Carried) {
    this.#deps = deps;
    this.#it = it;
    this.record = openSessionRecord(deps.db, it.lease);
    this.connection = this.#makeConnection();
    this.transcript = this.#makeTranscript();
    this.#filling = this.#makeFilling();
    this.speech = this.#makeSpeech();
    this.#guard = this.#makeGuard();
    this.#outputs = new Outputs(
      () => this.speech.makeOutput() ?? this.#makeTextOutput(),
      () => void this.#confirm(),
    );
    this.#model = new Model({
      wake: async () => this.speech.model ?? startModelSession(it.loaded, this.#modelParts()),
      onFault: this.#onFault,
    });
    this.turns = this.#makeTurns();
    this.#repeating = new Repeating({
      ...{ outputs: this.#outputs, isSpoken: this.#isSpoken, arrived: this.#arrived, onFault: this.#onFault },
      keepDoubt: (position, draft) => this.record.keepDoubt(position, draft),
    });
    this.#lines = new Lines({
      ...this.#telling(),
      language: () => languageOf(it.loaded),
      filler: () => this.#filling.line,
      repeating: this.#repeating,
    });
    this.inbox = this.#makeInbox();
    this.attendance = this.#makeAttendance();
    this.leaving = this.#makeLeaving();
  }

  /** A text of the person, whoever brings it. */
  hear(text: IncomingText): void {
    this.#post({ kind: 'text_heard', text, playout: this.speech.playout });
  }

  /** The person is there. */
  wake(): void {
    this.#post({ kind: 'person_came', placeLapsed: this.speech.placeLapsed });
  }

  /** Somebody is in the room, as its connection tells, which may be seconds late. */
  joined(who: PersonInRoom): void {
    this.attendance.joined(who);
    if (who.identity === this.#it.loaded.session.participant_identity) this.came(who.sid);
    else this.wake();
  }

  /** The person is there, with this connection; one who comes back reads what they missed. */
  came(sid: string): void {
    this.wake();
    if (this.#clients.has(sid)) return;
    const isAnother = this.#clients.size > 0;
    remember(this.#clients, sid, true, mostClients);
    if (isAnother || this.#it.lease.epoch > 1) this.#repeating.toWhoCame(isAnother);
  }

  /** The agent is in this room from now on. */
  enter(room: AgentRoom): void {
    this.speech.enter(room);
    room.attach(this.#it.listener);
  }

  /** What a former host said, and nobody knows to have arrived, is said again. */
  sayAgain(): void {
    this.#repeating.sayAgain(inDoubt(this.#it.loaded));
  }

  /** What was said last is waited for; of what may not have arrived by then nothing more is said here, and the successor is told. */
  async lastWordsArrived(): Promise<void> {
    const doubtful = await this.turns.lastWordsInDoubt();
    if (doubtful.length === 0) return;
    this.#outputs.mute();
    // What is not stored is not marked: nobody knows its place.
    if (!(await this.transcript.drained())) return;
    for (const { position, draft } of doubtful) await this.record.keepDoubt(await positionOf(position), draft);
  }

  /** Answers what is stored and unanswered and what this host has not heard itself: another one did, on its way out. */
  async catchUp(): Promise<void> {
    this.inbox.resume({ messages: await this.record.messages(), toolCalls: this.#it.loaded.toolCalls });
    if (this.#it.mailbox.state.waiting.length > 0) this.wake();
  }

  carryOut(effect: Effect): void {
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
      case 'time_filler':
        return this.#filling.time(effect);
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
        return this.speech.carryOut(effect);
      case 'show':
      case 'retake_room':
      case 'tell_unattended':
      case 'announce':
      case 'time_patience':
      case 'leave':
        return this.#inRoom(effect);
      default:
        return this.turns.carryOut(effect);
    }
  }

  #inRoom(effect: RoomEffect): void {
    switch (effect.kind) {
      case 'show':
        return this.connection.room.showState(effect.state);
      case 'retake_room':
        return void this.connection.retake();
      case 'tell_unattended':
        return void this.record.unattended();
      case 'announce':
        return void this.attendance.announce();
      case 'time_patience':
        return void setTimeout(() => this.#post({ kind: 'patience_over' }), this.patienceMs);
      case 'leave':
        return this.leaving.begin(effect.how);
      default:
        return effect satisfies never;
    }
  }

  async #takeIn(text: IncomingText): Promise<void> {
    await this.inbox.hear(text).catch((error: unknown) => {
      this.warn('a text could not be taken in', { err: error });
    });
  }

  #makeConnection(): RoomConnection {
    return new RoomConnection(this.#it.room, {
      ...{ rooms: this.#deps.rooms, isOver: this.#isOver, isOpen: this.#isOpen, post: this.#post, warn: this.warn },
      onText: (text) => this.hear(text),
      onMoved: (room) => this.enter(room),
      standing: () => this.record.standing(),
      othersAreThere: () => this.#deps.othersAreThere(),
      pace: realPace,
    });
  }

  #makeTranscript(): Transcript {
    const { lease, loaded } = this.#it;
    const transcript = new Transcript(this.#deps, lease, {
      stale: () => void this.attendance.lost(),
      problem: ({ kind, error }) => this.warn('a write of the transcript was held up', { kind, err: error }),
    });
    transcript.continueOrdinals(loaded.toolCalls);
    return transcript;
  }

  #makeFilling(): Filling {
    return new Filling({
      ...{ post: this.#post, loaded: this.#it.loaded, isSpoken: this.#isSpoken },
      speaksByItself: () => this.speech.model !== undefined,
      isAwaited: (utterance) => {
        const { awaited } = this.#it.mailbox.state;
        return awaited?.utterance === utterance && !awaited.isFilled;
      },
      lastWordAt: () => this.turns.output?.times.lastWordAt,
    });
  }

  #makeGuard(): ToolGuard {
    const { loaded } = this.#it;
    const tools = new Tools({
      ...{ post: this.#post, loaded, record: this.record, isSpoken: this.#isSpoken, canSpeak: this.#deps.canSpeak },
      speech: () => this.speech,
      output: () => this.turns.output,
      fillSilence: (work) => this.#filling.whileAtWork(work, (line) => this.turns.interject(line)),
      host: { loaded, room: () => this.connection.room, transfers: this.#deps.transfers, ...this.#announcing() },
      askForKeys: (wanted, signal) => this.#askForKeys(wanted, signal),
      runOutside: outsideTools(this.#deps, loaded, () => this.connection.room),
    });
    const ledger = this.transcript.ledger(() => this.turns);
    return new ToolGuard(loaded.definition.limits, ledger, tools.run);
  }

  #announcing(): AnnouncingParts {
    return {
      // A speech-to-speech model says itself what it is about to do.
      announce: (line) => (this.speech.model ? undefined : this.turns.announce(line)),
      ahead: () => this.speech.playout?.ahead ?? '',
    };
  }

  async #askForKeys(wanted: CompiledKeypad, signal: AbortSignal): Promise<string | undefined> {
    const { loaded } = this.#it;
    const { participant_identity: person, language } = loaded.session;
    if (!this.connection.room.isOnTelephone(person)) return undefined;
    const line = inLanguage(wanted.say ?? {}, language);
    // Who knows what is asked for types while it is said.
    const typed = this.keypad.collect({ ...wanted, timeoutMs: wanted.timeoutMs + askingMs(line) }, signal);
    this.#announcing().announce(line);
    return typed;
  }

  #makeSpeech(): Speech {
    const { openSpeech, maySpeak, now } = this.#deps;
    const { loaded } = this.#it;
    const { definition, session } = loaded;
    return new Speech({
      ...{ post: this.#post, loaded, openSpeech, now, isSpoken: this.#isSpoken, warn: this.warn },
      modelSessionOptions: () => modelSessionOptions(loaded, this.#modelParts()),
      room: () => this.connection.room,
      captions: () => this.#makeTextOutput(),
      filler: () => this.#filling.spokenLine,
      maySpeak: () => maySpeak(session.id),
      becomeSpoken: () => this.record.becomeSpoken(speechNeeds(definition, session.language)),
    });
  }

  #makeTextOutput(): TextOutput {
    return new TextOutput(
      () => this.connection.room,
      () => this.#deps.maySpeak(this.#it.lease.session_id),
      (error) => void this.connection.renew(error),
    );
  }

  #modelParts() {
    const { now, env, models } = this.#deps;
    const onWords = (text: string) => this.turns.words(text);
    return { guard: this.#guard, onWords, isSpoken: this.#isSpoken, now: now(), env, models };
  }

  /** What turns and lines have in common. */
  #telling() {
    return {
      ...{ post: this.#post, outputs: this.#outputs, model: this.#model, transcript: this.transcript },
      onFault: this.#onFault,
    };
  }

  #makeTurns(): Turns {
    const { db, countTokens, onTurn } = this.#deps;
    const { loaded, lease } = this.#it;
    const { agent } = loaded.session;
    const { session_id: session, tenant_id: tenant, epoch } = lease;
    return new Turns({
      ...this.#telling(),
      ...{ guard: this.#guard, onTurn },
      keepDraft: (turn, draft) => keepDraft(db, { tenant, session, epoch }, turn, draft),
      resumes: () => this.speech.model === undefined,
      filler: () => this.#filling.line,
      arrived: this.#arrived,
      onTokens: (tokens) => countTokens({ tenant, agent }, tokens),
    });
  }

  #makeInbox(): Inbox {
    const { mailbox, lease, loaded } = this.#it;
    return new Inbox(
      {
        ...{ limits: loaded.definition.limits, transcript: this.transcript, isOpen: this.#isOpen },
        catchUp: () => this.catchUp(),
        waiting: () => mailbox.state.waiting.length,
        now: () => this.#deps.now(),
        onWaits: (text) => this.#post({ kind: 'text_waits', text }),
        onFound: (texts) => this.#post({ kind: 'texts_found', texts }),
        onTooMuch: (key) => this.#post({ kind: 'too_much_written', key }),
      },
      { isSuccessor: lease.epoch > 1 },
    );
  }

  #makeAttendance(): Attendance {
    const { lease } = this.#it;
    const { db, notifier } = this.#deps;
    return new Attendance({
      ...{ db, notifier, lease, record: this.record, connection: this.connection, post: this.#post, warn: this.warn },
      ...{ isOver: this.#isOver, isOpen: this.#isOpen, catchUp: () => this.catchUp(), wake: () => this.wake() },
      now: () => this.#deps.now(),
      caughtUp: () => this.inbox.caughtUp(),
    });
  }

  #makeLeaving(): Leaving {
    const { lease, mailbox, onOver } = this.#it;
    const { session_id: session, tenant_id: tenant, epoch } = lease;
    const { db, rooms, notifier } = this.#deps;
    return new Leaving({
      ...{ model: this.#model, speech: this.speech, transcript: this.transcript, record: this.record },
      ...{ connection: this.connection, rooms, onOver, warn: this.warn },
      fallSilent: () => this.turns.carryOut({ kind: 'fall_silent' }),
      giveBack: () => this.#deps.giveBack(lease),
      turnIsOver: () => mailbox.until(isFree),
      endSession: (reason) =>
        endUnderLease({ db, rooms, notifier }, { tenant, session, reason, source: 'agent', epoch }),
    });
  }

  readonly warn = (text: string, fields: Record<string, unknown>): void =>
    this.#deps.logger.warn({ session: hashPrefix(this.#it.lease.session_id), ...fields }, text);

  readonly #post = (fact: Fact): void => this.#it.mailbox.post(fact);
  readonly #arrived = async (withinMs: number): Promise<boolean> => {
    const askedAt = performance.now();
    const { participant_identity: person } = this.#it.loaded.session;
    const arrival = await this.connection.room.wordsArrived(person, withinMs);
    if (arrival === 'arrived') this.#outputs.arrived(askedAt);
    // Of somebody who is not there nothing is waited for.
    return arrival !== 'unknown';
  };

  /** Asks whether what was written has arrived, once at a time: what has not is said again to a person who comes back. */
  async #confirm(): Promise<void> {
    this.#isToBeConfirmed = true;
    if (this.#isConfirming) return;
    this.#isConfirming = true;
    while (this.#isToBeConfirmed) {
      this.#isToBeConfirmed = false;
      await this.#arrived(confirmedWithinMs);
    }
    this.#isConfirming = false;
  }

  readonly #isOver = (): boolean => this.#it.mailbox.state.phase === 'over';
  readonly #isOpen = (): boolean => this.#it.mailbox.state.phase === 'open';
  readonly #isSpoken = (): boolean => this.#it.mailbox.state.mode.isSpoken;
  readonly #onFault = (error: unknown): void => this.warn('a turn failed', { err: error });
}

const positionOf = async (position: PositionToBe): Promise<Position> =>
  'turn' in position ? { turn: (await position.turn) ?? 0 } : position;

/** No turn is under way, and no line that one waits for. */
const isFree = ({ activity }: ConversationState): boolean => activity.kind === 'idle' || activity.kind === 'leaving';

/** A sentence is said at some 15 characters a second; it is not typed into what time the person has. */
const askingMs = (line: string): number => Math.min(10_000, (line.length / 15) * 1_000);
