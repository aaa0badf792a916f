import type { InteractionMode } from '../../contract/session.ts';
import { ifLate, within } from '../../process/within.ts';
import type { Lease } from '../../store/tables/hosts.ts';
import type { MessageRow } from '../../store/tables/messages.ts';
import type { RoomListener } from '../room/agent-room.ts';
import type { Flood } from '../room/floods.ts';
import type { IncomingText } from '../room/hearing.ts';
import type { Microphone } from '../room/microphone.ts';
import type { PersonInRoom } from '../room/persons.ts';
import { type ConversationDeps, Executors } from './executors/executors.ts';
import type { Loaded } from './loading.ts';
import { Mailbox } from './mailbox.ts';
import type { Effect } from './state/effect.ts';
import type { Fact } from './state/fact.ts';
import { learn } from './state/learn.ts';
import { begin, type ConversationState } from './state/state.ts';
import type { TakenUp } from './taking-up.ts';

/** A turn of the agent's that takes longer is cut before a conversation is given away, and begun anew by the successor. */
const turnPatienceMs = 3_000;
/**
 * What the person is saying is heard to its end by who heard its beginning, and its words are waited for: of half a sentence a
 * successor understands nothing, and can only ask. Longer than nearly every sentence, with the words of it on a busy machine.
 */
const utterancePatienceMs = 12_000;

/**
 * One conversation on this host: what its room and its host tell of it is posted as a fact, and what is to be done about it is carried
 * out in executors/. It ends when the session ends, or stops when another host takes over.
 */
export class Conversation implements RoomListener {
  readonly lease: Lease;
  readonly #taken: TakenUp;
  readonly #mailbox: Mailbox<ConversationState, Fact, Effect>;
  readonly #executors: Executors;
  readonly #ending = Promise.withResolvers<void>();

  /** Nothing is heard, said or asked before `begin`. */
  constructor(deps: ConversationDeps, lease: Lease, taken: TakenUp, onOver: () => void) {
    const { loaded, room } = taken;
    this.lease = lease;
    this.#taken = taken;
    this.#mailbox = new Mailbox(beginningOf(loaded, lease.epoch), learn, (effect) => this.#executors.carryOut(effect));
    this.#executors = new Executors(deps, {
      ...{ lease, loaded, room, mailbox: this.#mailbox, listener: this },
      onOver: () => {
        this.#ending.resolve();
        onOver();
      },
    });
  }

  /** Resolves when the agent is there and hears. */
  async begin(): Promise<void> {
    const { loaded, room, ends } = this.#taken;
    this.#executors.inbox.resume(loaded);
    if (ends) this.#post({ kind: 'end_wanted', reason: 'agent_ended' });
    this.#executors.enter(room);
    this.#executors.sayAgain();
    await this.#executors.attendance.announce();
  }

  onText(text: IncomingText): void {
    this.#executors.hear(text);
  }

  onPersonJoined(person: PersonInRoom): void {
    this.#executors.joined(person);
  }

  onPersonLeft(person: PersonInRoom, agoMs: number): void {
    this.#executors.attendance.left(person, agoMs);
  }

  onMicrophone(microphone: Microphone): void {
    if (!this.over) this.#executors.speech.onMicrophone(microphone);
  }

  onKey(key: string): void {
    this.#executors.keypad.press(key);
  }

  onModeWanted(mode: InteractionMode | undefined): void {
    this.#post({ kind: 'mode_wanted', mode });
  }

  onInterruptWanted(): void {
    this.#post({ kind: 'interrupt_pressed' });
  }

  onFlood({ what, again }: Flood): void {
    this.#executors.warn('a participant sends too much and is sent out of the room', { what, again });
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

  /** The person is there, with this connection; a host of an earlier release does not say with which. */
  joined(sid: string | undefined): void {
    if (sid) this.#executors.came(sid);
    else this.#executors.wake();
  }

  /** A cap of the agent or its tenant is used up: the person is told, and the session ends. May be told again. */
  limitReached(): void {
    this.#post({ kind: 'cap_reached' });
  }

  /** Answers what is stored and unanswered and what this host has not heard itself: another one did, on its way out. */
  catchUp(): Promise<void> {
    return this.#executors.catchUp();
  }

  hasEnded(): Promise<boolean> {
    return this.#executors.record.hasEnded();
  }

  /**
   * Between two turns and two utterances, ready to be given away: what is written from now on is stored for the successor. In haste
   * nothing is waited for.
   */
  async pause(isInHaste: () => boolean): Promise<void> {
    if (this.#mailbox.state.phase !== 'open') return;
    this.#executors.patienceMs = isInHaste() ? 0 : turnPatienceMs;
    this.#post({ kind: 'hand_over' });
    // A goodbye that travels is the end of the session, here.
    await this.#mailbox.until(({ activity }) => activity.kind === 'idle');
    if (this.over) return this.#executors.leaving.done;
    await this.#executors.lastWordsArrived();
    await this.#executors.connection.settled();
    await this.#executors.speech.hearOut(utterancePatienceMs, isInHaste);
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
