import type { Logger } from 'pino';
import type { InteractionMode } from '../../contract/session.ts';
import { hashPrefix } from '../../core/sessions/ids.ts';
import { ifLate, within } from '../../process/within.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import { AgentRoom, type RoomListener } from '../room/agent-room.ts';
import type { Flood } from '../room/floods.ts';
import type { IncomingText } from '../room/hearing.ts';
import type { Microphone } from '../room/microphone.ts';
import type { PersonInRoom } from '../room/persons.ts';
import { builtinsAgain } from './builtins-again.ts';
import { type ConversationDeps as Deps, Executors } from './executors/executors.ts';
import { settleInterruptedCalls } from './interrupted-calls.ts';
import { Keypad } from './keypad.ts';
import type { Loaded } from './loading.ts';
import { Mailbox } from './mailbox.ts';
import { outsideTools } from './run-tool.ts';
import type { Effect } from './state/effect.ts';
import type { Fact } from './state/fact.ts';
import { learn } from './state/learn.ts';
import { begin, type ConversationState } from './state/state.ts';

export interface ConversationDeps extends Deps {
  logger: Logger;
}

/**
 * One conversation on this host. What happens in its room, in the database and with its model is posted as a fact; what is to be done
 * about it is carried out in executors/. It ends when the session ends, or stops when another host takes over.
 */
export class Conversation implements RoomListener {
  readonly lease: Lease;
  readonly #deps: ConversationDeps;
  readonly #loaded: Loaded;
  readonly #mailbox: Mailbox<ConversationState, Fact, Effect>;
  readonly #executors: Executors;
  readonly #ending = Promise.withResolvers<void>();
  readonly #keypad = new Keypad((keys) => this.onText(keys));

  private constructor(deps: ConversationDeps, lease: Lease, loaded: Loaded, room: AgentRoom, onOver: () => void) {
    this.lease = lease;
    this.#deps = deps;
    this.#loaded = loaded;
    this.#mailbox = new Mailbox(beginningOf(loaded, lease.epoch), learn, (effect) => this.#executors.carryOut(effect));
    this.#executors = new Executors(deps, {
      ...{ lease, loaded, room },
      post: (fact) => this.#post(fact),
      state: () => this.#mailbox.state,
      until: (holds) => this.#mailbox.until(holds),
      onMoved: (to) => this.#attachTo(to),
      onText: (text) => this.onText(text),
      collectKeys: (wanted, signal) => this.#keypad.collect(wanted, signal),
      catchUp: () => this.catchUp(),
      wake: () => this.wake(),
      onOver: () => {
        this.#ending.resolve();
        onOver();
      },
      warn: (text, fields) => this.#warn(text, fields),
    });
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
    conversation.#executors.inbox.resume(settled);
    if (ends()) conversation.#post({ kind: 'end_wanted', reason: 'agent_ended' });
    onBegun(conversation);
    conversation.#attachTo(room);
    await conversation.#executors.attendance.announce();
  }

  onText(text: IncomingText): void {
    this.#post({ kind: 'text_heard', text, playout: this.#executors.speech.playout });
  }

  onPersonJoined(person: PersonInRoom): void {
    this.wake();
    this.#executors.attendance.joined(person);
  }

  onPersonLeft(person: PersonInRoom, agoMs: number): void {
    this.#executors.attendance.left(person, agoMs);
  }

  onMicrophone(microphone: Microphone): void {
    if (!this.over) this.#executors.speech.onMicrophone(microphone);
  }

  onKey(key: string): void {
    this.#keypad.press(key);
  }

  onModeWanted(mode: InteractionMode | undefined): void {
    this.#post({ kind: 'mode_wanted', mode });
  }

  onInterruptWanted(): void {
    this.#post({ kind: 'interrupt_pressed' });
  }

  onFlood({ what, again }: Flood): void {
    this.#warn('a participant sends too much and is sent out of the room', { what, again });
    if (again) this.#post({ kind: 'flooded' });
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
    this.#post({ kind: 'person_came', placeLapsed: this.#executors.speech.placeLapsed });
  }

  /** A cap of the agent or its tenant is used up: the person is told, and the session ends. May be told again. */
  limitReached(): void {
    this.#post({ kind: 'cap_reached' });
  }

  /** Answers what is stored and unanswered and what this host has not heard itself: another one did, on its way out. */
  async catchUp(): Promise<void> {
    this.#executors.inbox.resume({
      messages: await this.#executors.record.messages(),
      toolCalls: this.#loaded.toolCalls,
    });
    if (this.#mailbox.state.waiting.length > 0) this.wake();
  }

  hasEnded(): Promise<boolean> {
    return this.#executors.record.hasEnded();
  }

  /** Between two turns, ready to be given away: what is written from now on is stored for the successor. */
  async pause(patienceMs: number): Promise<void> {
    if (this.#mailbox.state.phase !== 'open') return;
    this.#executors.patienceMs = patienceMs;
    this.#post({ kind: 'hand_over' });
    // A goodbye that travels is the end of the session, here.
    await this.#mailbox.until(({ activity }) => activity.kind === 'idle');
    if (this.over) return this.#executors.leaving.done;
    await this.#executors.turns.lastWordsArrived();
    await this.#executors.connection.settled();
    await this.#executors.speech.hearOut(patienceMs);
    await this.#executors.transcript.drained();
  }

  /**
   * Hears what is written until `stop`, also when a successor has sent the agent out of the room. Without it that is lost, as
   * when this host had died.
   */
  async keepListening(isInHaste: () => boolean): Promise<void> {
    await this.#executors.connection.keepListening(isInHaste);
  }

  /** After it was given away: a successor has it and hears, or nobody needs to. */
  isOthers(): Promise<boolean> {
    return this.over ? Promise.resolve(true) : this.#executors.record.isOthers();
  }

  /** The session is over: what was said is handed in, then the room goes. Resolves when this host is out of it. */
  async finish(): Promise<void> {
    this.#post({ kind: 'session_ended' });
    await this.#executors.leaving.done;
  }

  /** The session is another host's: not another word, but what only we heard is stored for it. Resolves when this host is out of it. */
  async stop(): Promise<void> {
    this.#post({ kind: 'taken_over' });
    await this.#executors.leaving.done;
  }

  #post(fact: Fact): void {
    this.#mailbox.post(fact);
  }

  #attachTo(room: AgentRoom): void {
    this.#executors.speech.enter(room);
    room.attach(this);
  }

  #warn(text: string, fields: Record<string, unknown>): void {
    this.#deps.logger.warn({ session: hashPrefix(this.lease.session_id), ...fields }, text);
  }
}

function beginningOf({ definition, session, messages }: Loaded, epoch: number): ConversationState {
  const { limits, speech } = definition;
  return begin({
    rules: {
      epoch,
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

const isAnswered = (message: MessageRow) => message.role === 'USER' && message.answered_at !== null;
