/** A conversation whose room, model and database are a list of what is under way: tests decide in which order it comes to its end. */
import { Mailbox } from '../mailbox.ts';
import type { Effect } from './effect.ts';
import type { Fact, Playout } from './fact.ts';
import { learn } from './learn.ts';
import { begin, type ConversationState, type WaitingText } from './state.ts';

export type Happening =
  | 'write'
  | 'speak'
  | 'proceed'
  | 'make a sound'
  | 'press interrupt'
  | 'lose the room'
  | 'have the room back'
  | 'call a tool'
  | 'say goodbye'
  | 'fail'
  | 'take a microphone'
  | 'want to write'
  | 'want to speak'
  | 'hand over'
  | 'lose patience'
  | 'end'
  | 'be taken over'
  | 'reach a cap'
  | 'run out of time';

const microphone = 'TR_1';

/** How it begins. */
export interface Life {
  isSpoken: boolean;
  mostTurns: number;
  /** Nobody joined it for long. */
  placeLapsed: boolean;
  /** The host has room for one more that is spoken. */
  hasRoom: boolean;
}

/** What is around a conversation on its host: the tools of its model, and what outlives the host. */
export interface Surroundings {
  /** Of the lease: the first host has 1. */
  readonly epoch: number;
  /** What a former host left unanswered. */
  readonly found: readonly WaitingText[];
  nextKey(): string;
  taken(key: string): Promise<number>;
  answered(key: string): void;
  /** The model wants a tool for this text. */
  callTool(host: SimulatedHost, text: string, which: number): void;
  /** The turn is cut, and its tools with it. */
  interrupted(): void;
}

/** How its surroundings reach a conversation: what has happened, and what will at a time of the test's choice. */
export interface SimulatedHost {
  post(fact: Fact): void;
  later(then: () => Fact | undefined): void;
}

/** Nothing but the conversation: a tool does nothing, and nothing outlives the host. */
function alone(): Surroundings {
  let spoken = 0;
  return {
    epoch: 1,
    found: [],
    nextKey: () => {
      spoken += 1;
      return `text ${spoken - 1}`;
    },
    taken: () => Promise.resolve(1),
    answered: () => undefined,
    callTool: (host, _text, which) => {
      host.later(() => ({ kind: 'tool_ended' }));
      host.post({ kind: 'tool_began', interruptible: which < 4 });
    },
    interrupted: () => undefined,
  };
}

export class SimulatedConversation {
  /** Texts by the person, written or spoken, in their order. */
  readonly said: string[] = [];
  readonly takenIn: string[] = [];
  /** Texts whose turn was closed, or that were refused. */
  readonly settledTexts: string[] = [];
  readonly begun: number[] = [];
  readonly closed: number[] = [];
  readonly saidAfterTheEnd: Effect[] = [];
  /** Utterances after which the silence was filled. */
  readonly filled: string[] = [];
  mostTurnsAtOnce = 0;
  begunWhileHandingOver = 0;
  leaves = 0;
  isHeld = false;
  readonly #holds = new Set<string>();
  readonly #mailbox: Mailbox<ConversationState, Fact, Effect>;
  /** What is under way and comes to its end by itself: each is a fact to come. */
  #underWay: (() => Fact | undefined)[] = [];
  /** In the order in which they are stored. */
  readonly #storing: WaitingText[] = [];
  readonly #texts = new Map<number, string>();
  readonly #hasRoom: boolean;
  readonly #around: Surroundings;
  readonly #host: SimulatedHost = { post: (fact) => this.#post(fact), later: (then) => this.#later(then) };
  #failing = false;

  constructor({ isSpoken, mostTurns, placeLapsed, hasRoom }: Life, around: Surroundings = alone()) {
    this.#hasRoom = hasRoom;
    this.#around = around;
    const { epoch, found } = around;
    const rules = {
      epoch,
      mostTurns,
      mostTokens: 1_000_000,
      interruption: { enabled: true, minWords: 1 },
      microphone: true,
      isSpeechToSpeech: false,
    };
    const beginning = begin({ rules, isGreeted: epoch > 1, isSpoken, isUnjoined: true, used: { turns: 0, tokens: 0 } });
    this.#mailbox = new Mailbox(beginning, learn, (effect) => this.#carryOut(effect));
    if (found.length > 0) this.#post({ kind: 'texts_found', texts: found });
    this.#post({ kind: 'person_came', placeLapsed });
  }

  get state(): ConversationState {
    return this.#mailbox.state;
  }

  happen(what: Happening, which: number): void {
    const fact = this.#factOf(what, which);
    if (fact) this.#post(fact);
  }

  /** Everything that is under way comes to its end; a room that was lost is there again. */
  settle(): void {
    this.#post({ kind: 'room_back' });
    this.#post({ kind: 'speech_lost', microphone });
    for (let steps = 0; this.#underWay.length > 0 && steps < 10_000; steps += 1) this.#proceed(0);
  }

  #factOf(what: Happening, which: number): Fact | undefined {
    switch (what) {
      case 'write':
        return this.#written();
      case 'speak':
        return this.#spokenFact();
      case 'proceed':
        return void this.#proceed(which);
      case 'make a sound':
        return { kind: 'speech_sustained', microphone, playout: this.#playout };
      case 'press interrupt':
        return { kind: 'interrupt_pressed' };
      case 'lose the room':
        if (which === 7) return { kind: 'room_unreachable' };
        return which < 4 ? { kind: 'room_away' } : { kind: 'room_gone' };
      case 'have the room back':
        return { kind: 'room_back' };
      case 'call a tool':
        return void this.#toolCalled(which);
      case 'say goodbye':
        return this.state.activity.kind === 'thinking' ? { kind: 'end_wanted', reason: 'agent_ended' } : undefined;
      case 'fail':
        this.#failing = true;
        return which < 2 ? { kind: 'speech_failed', part: 'recognition' } : undefined;
      case 'take a microphone':
        return which < 5 ? { kind: 'microphone_there', microphone } : { kind: 'microphone_gone', microphone };
      case 'want to write':
        return { kind: 'mode_wanted', mode: 'TEXT' };
      case 'want to speak':
        return { kind: 'mode_wanted', mode: which < 4 ? 'VOICE' : undefined };
      case 'hand over':
        return { kind: 'hand_over' };
      case 'lose patience':
        return { kind: 'patience_over' };
      case 'end':
        if (which === 2) return { kind: 'flooded' };
        return which < 2 ? { kind: 'session_ended' } : undefined;
      case 'be taken over':
        return which < 2 ? { kind: 'taken_over' } : undefined;
      case 'reach a cap':
        return which < 2 ? { kind: 'cap_reached' } : undefined;
      case 'run out of time':
        return { kind: 'line_due', text: 'The time is nearly up.', key: `notice ${which}` };
      default:
        return what satisfies never;
    }
  }

  /** Something is being heard whenever something is open in a spoken conversation. */
  get #playout(): Playout | undefined {
    if (!this.state.mode.isSpoken || this.state.open.size === 0) return undefined;
    return { isHeard: true, heardForMs: 10_000, sentence: 'This is ', ahead: 'what I say.', language: 'en' };
  }

  #nextText(mode: 'TEXT' | 'VOICE') {
    const key = this.#around.nextKey();
    return { key, text: `please do thing number ${key}`, at: new Date(0), mode };
  }

  #written(): Fact | undefined {
    if (this.state.phase === 'over') return undefined;
    const text = this.#nextText('TEXT');
    this.said.push(text.key);
    return { kind: 'text_heard', text, playout: this.#playout };
  }

  #spokenFact(): Fact | undefined {
    if (this.state.phase === 'over' || !this.state.mode.isSpoken) return undefined;
    const text = this.#nextText('VOICE');
    this.said.push(text.key);
    const words = { text: text.text, segmentId: text.key };
    this.#post({ kind: 'speech_sustained', microphone, playout: this.#playout });
    this.#post({ kind: 'words_known', microphone, words, playout: this.#playout });
    this.#post({ kind: 'speech_paused', microphone, words, playout: this.#playout });
    this.#post({ kind: 'speech_ended', utterance: text.key, silentForMs: 400, playout: this.#playout });
    return { kind: 'speech_heard', microphone, words, text, playout: this.#playout };
  }

  #toolCalled(which: number): void {
    const { activity } = this.state;
    if (activity.kind === 'thinking') this.#around.callTool(this.#host, activity.text.text, which);
  }

  #post(fact: Fact): void {
    this.#mailbox.post(fact);
  }

  #proceed(which: number): void {
    const [next] = this.#underWay.splice(which % Math.max(1, this.#underWay.length), 1);
    const fact = next?.();
    if (fact) this.#post(fact);
  }

  #carryOut(effect: Effect): void {
    const isOver = this.state.phase === 'over';
    switch (effect.kind) {
      case 'take_in':
        return this.#takeIn(effect.text.key);
      case 'think':
        this.begun.push(effect.turn);
        this.mostTurnsAtOnce = Math.max(this.mostTurnsAtOnce, this.begun.length - this.closed.length);
        if (this.state.phase === 'handing_over') this.begunWhileHandingOver += 1;
        if (isOver) this.saidAfterTheEnd.push(effect);
        this.#texts.set(effect.turn, effect.text.text);
        return this.#later(() => this.#thought(effect.turn));
      case 'tell':
        return this.#later(() => ({ kind: 'told', output: effect.turn, cut: false, hasWords: true, whole: true }));
      case 'say':
        if (effect.words === 'filler') this.#filled();
        if (isOver) this.saidAfterTheEnd.push(effect);
        return this.#later(() => ({ kind: 'told', output: effect.line, cut: false, hasWords: true, whole: true }));
      case 'ask_arrival':
        return this.#later(() => ({ kind: 'arrival_known', turn: effect.turn, arrived: true }));
      case 'close_turn':
        this.closed.push(effect.turn);
        this.settledTexts.push(this.#texts.get(effect.turn) ?? '?');
        if (effect.closing.closesTurn) this.#around.answered(this.#texts.get(effect.turn) ?? '?');
        return this.#later(() => ({ kind: 'turn_closed', turn: effect.turn }));
      case 'leave_unanswered':
        return void this.settledTexts.push(effect.text.text);
      case 'stop_speaking':
      case 'fall_silent':
        return this.#around.interrupted();
      case 'time_cut':
        return this.#later(() => ({ kind: 'cut_overdue', cut: effect.cut }));
      case 'linger':
        return this.#later(() => ({ kind: 'lingered' }));
      case 'time_farewell':
        return this.#later(() => ({ kind: 'farewell_overdue' }));
      case 'ask_spoken':
        return this.#later(() => ({ kind: 'spoken_decided', granted: this.#hasRoom }));
      case 'time_hold':
        return this.#later(() => ({ kind: 'hold_overdue', hold: effect.hold, playout: this.#playout }));
      case 'time_filler':
        this.#later(() => ({ kind: 'filler_due', utterance: effect.utterance }));
        if (effect.since !== 'begun') this.#later(() => ({ kind: 'sound_overdue', utterance: effect.utterance }));
        return;
      case 'fill':
        return this.#filled();
      case 'retake_room':
        return this.#later(() => ({ kind: 'room_back' }));
      case 'hold':
        this.#holds.add(effect.why);
        break;
      case 'release':
        this.#holds.delete(effect.why);
        break;
      case 'leave':
        this.leaves += 1;
        break;
      default:
        break;
    }
    this.isHeld = this.#holds.size > 0;
  }

  #filled(): void {
    this.filled.push(this.state.awaited?.utterance ?? 'nobody waited');
  }

  #later(fact: () => Fact | undefined): void {
    this.#underWay.push(fact);
  }

  /** Stored, and in line unless the conversation is given away. */
  #takeIn(key: string): void {
    this.takenIn.push(key);
    this.#storing.push({ key, text: key, sequence: this.#around.taken(key), begun: false });
    this.#later(() => {
      const text = this.#storing.shift();
      return text && { kind: 'text_waits', text };
    });
  }

  #thought(turn: number): Fact {
    const failed = this.#failing;
    this.#failing = false;
    return { kind: 'thought', turn, failed, interrupted: false, tokens: 10 };
  }
}
