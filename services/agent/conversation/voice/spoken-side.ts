import type { CompiledAgent, CompiledSpeech } from '../../../agent-files/definition/compiled.ts';
import { builtInLines } from '../../../agent-files/definition/lines.ts';
import { ifLate, within } from '../../../process/within.ts';
import { connectRealtime } from '../../models/realtime.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import type { IncomingText } from '../../room/hearing.ts';
import type { Microphone } from '../../room/microphone.ts';
import { inLanguage, languageOf, voiceOf } from '../language.ts';
import type { Loaded } from '../loading.ts';
import type { MindOptions, Thinker } from '../mind.ts';
import type { Output } from '../output.ts';
import type { SpeakingGate, TextOutput } from '../text-output.ts';
import type { Turns } from '../turns.ts';
import type { Heard } from './ear.ts';
import { RealtimeVoice } from './realtime-voice.ts';
import { Reminders } from './reminders.ts';
import { SpeechToSpeech, type SpeechToSpeechListener } from './speech-to-speech.ts';
import { type Speech, Voice, type VoiceParts } from './voice.ts';

/** Recognition and voice for one session, in one language. */
export type OpenSpeech = (
  definition: CompiledAgent,
  choice: { language: string; voice: string | undefined },
) => Promise<Speech>;

export interface SpokenSideParts {
  loaded: Loaded;
  /** Undefined where this host can neither hear nor speak. */
  openSpeech: OpenSpeech | undefined;
  /** What a speech-to-speech model is to know. */
  mindOptions: () => MindOptions;
  room: () => AgentRoom;
  turns: () => Turns;
  captions: () => TextOutput;
  maySpeak: SpeakingGate;
  now: () => Date;
  isOpen: () => boolean;
  /** A written session is spoken from now on; false where this host cannot speak it, or has no room for it. */
  becomeSpoken: () => Promise<boolean>;
  /** What the person said, for the inbox. */
  onText: (text: IncomingText) => void;
  /** Speech has failed for good. */
  onLost: () => void;
  warn: (text: string, fields: Record<string, unknown>) => void;
}

/** So many failures of one part in a row, and there is no conversation any more. */
const maxFailures = 3;
/** Somewhat less than the 60 s after which others may have the place of a call that nobody has joined (functions/voice_room.sql). */
const slotKeptMs = 55_000;
/** The session's end waits for it, and the room with it. */
const closedWithinMs = 2_000;

/** What a conversation has beside its words: nothing in a written one, until the person takes a microphone. */
export class SpokenSide {
  readonly #parts: SpokenSideParts;
  #voice: Voice | RealtimeVoice | undefined;
  #reminders: Reminders | undefined;
  readonly #failures = { recognition: 0, synthesis: 0 };
  #regaining: Promise<void> | undefined;
  #hasSlot: boolean;
  /** What the person wrote over has its place in the transcript. */
  #gaveWay: Promise<void> = Promise.resolve();

  constructor(parts: SpokenSideParts) {
    this.#parts = parts;
    const { session } = parts.loaded;
    if (session.interaction_mode === 'VOICE') this.#voice = this.#makeVoice();
    this.#hasSlot = session.status !== 'created';
  }

  /**
   * Asked when the person is there. A call that nobody had joined for long lost its place to others: it has one again when this resolves,
   * or the person was told that it is a written conversation. Undefined: there is nothing to wait for.
   */
  regainSlot(): Promise<void> | undefined {
    const { loaded, now } = this.#parts;
    const waitedMs = now().getTime() - loaded.session.created_at.getTime();
    if (this.#hasSlot || !this.#voice || waitedMs < slotKeptMs) this.#hasSlot = true;
    else
      this.#regaining ??= this.#regainSlot().finally(() => {
        this.#regaining = undefined;
      });
    return this.#regaining;
  }

  get isSpoken(): boolean {
    return this.#voice !== undefined;
  }

  /** The model that answers, where it is the one that hears and speaks. */
  get mind(): Thinker | undefined {
    return this.#voice instanceof RealtimeVoice ? this.#voice.mind : undefined;
  }

  /** For a turn that is said aloud; undefined in a written conversation. */
  makeOutput(): Output | undefined {
    return this.#voice?.makeOutput();
  }

  /** The agent is in this room, before the person hears anything: their client has the agent's voice when it is to be heard. */
  enter(room: AgentRoom): void {
    if (!this.#voice) return;
    room.speaker().catch((error: unknown) => this.#parts.warn('the voice is not in the room', { err: error }));
  }

  /** A written session becomes spoken with it, where the agent permits it and this host can. */
  async onMicrophone(microphone: Microphone): Promise<void> {
    try {
      await this.regainSlot();
      if (this.#voice || (await this.#begin())) await this.#voice?.listenTo(microphone);
    } catch (error) {
      this.#failed('recognition', error);
    }
  }

  onInterruptWanted(): void {
    if (this.#voice) void this.#parts.turns().interrupt();
  }

  /**
   * Who writes while the agent is heard wants to be answered now, as who speaks then. Resolves when the text may be taken in:
   * in the order of the calls, and after what it cut short.
   */
  giveWay({ mode }: IncomingText): Promise<void> {
    const { loaded, isOpen, turns } = this.#parts;
    const isHeard = mode === 'TEXT' && isOpen() && this.#voice?.mouth.current?.isHeard;
    if (isHeard && loaded.definition.speech?.interruption.enabled) this.#gaveWay = turns().interrupt();
    return this.#gaveWay;
  }

  roomAway(): void {
    this.#voice?.mouth.hold('room');
  }

  roomBack(): void {
    this.#voice?.mouth.release('room');
  }

  /** The person is there, or has written. */
  awake(): void {
    if (this.#voice) this.#reminders ??= this.#makeReminders();
    this.#reminders?.busy();
  }

  /** Everything is said and answered. */
  quiet(): void {
    this.#reminders?.quiet();
  }

  /** While a tool takes long the person hears that somebody is there. */
  fillSilence<Result>(work: Promise<Result>): Promise<Result> {
    const { definition, session } = this.#parts.loaded;
    const { filler } = definition.speech ?? {};
    // A speech-to-speech model says itself what it is about to do.
    if (!filler || this.mind) return work;
    const interject = () => this.#parts.turns().output.interject(inLanguage(filler.say, session.language));
    const timer = setTimeout(interject, filler.afterMs);
    return work.finally(() => clearTimeout(timer));
  }

  /** What is said from now on is in the language that the session has now, on both sides. */
  languageChanged(): void {
    this.#voice?.reopen().catch((error: unknown) => this.#failed('recognition', error));
  }

  /** Before somebody else listens: what the person is saying is heard to its end. */
  async hearOut(withinMs: number): Promise<void> {
    // With a speech-to-speech model it is the provider that knows, and nobody asks it here.
    if (this.#voice instanceof Voice) await this.#voice.hearOut(withinMs);
  }

  /** Nobody is reminded of anything any more. */
  endSoon(): void {
    this.#reminders?.close();
  }

  /** Resolves when both sides are closed, or no longer wait for it: a provider's connection may hang in its last moment too. */
  async close(): Promise<void> {
    const closed = this.#voice?.close().then(() => true);
    if (!closed || (await within(closedWithinMs, 'speech', closed).catch(ifLate(false)))) return;
    this.#parts.warn('speech did not close in time and is left behind', {});
  }

  async #regainSlot(): Promise<void> {
    const { becomeSpoken, turns, loaded, warn } = this.#parts;
    const hasSlot = await becomeSpoken().catch((error: unknown) => {
      warn('nobody could say whether the call has a place: it is spoken', { err: error });
      return true;
    });
    this.#hasSlot = true;
    if (hasSlot) return;
    await this.close();
    this.#voice = undefined;
    const { voiceUnavailable } = languageOf(loaded).lines;
    await turns().say(voiceUnavailable ?? builtInLines(loaded.session.language).voiceUnavailable, 'notice voice');
  }

  async #begin(): Promise<boolean> {
    const { loaded, becomeSpoken, isOpen } = this.#parts;
    if (!isOpen() || !loaded.definition.settings.sessions.microphone) return false;
    // The model of its written sessions is another one.
    if (loaded.definition.voiceAgentKind === 'realtime') return false;
    const voice = this.#makeVoice();
    if (!voice || !(await becomeSpoken())) return false;
    this.#voice = voice;
    return true;
  }

  #makeVoice(): Voice | RealtimeVoice | undefined {
    const { loaded, openSpeech } = this.#parts;
    const { definition, session } = loaded;
    if (!openSpeech || !definition.speech) return undefined;
    const parts = this.#voiceParts(definition.speech);
    if (definition.voiceAgentKind === 'realtime') {
      return new RealtimeVoice({ ...parts, connect: (listener, last) => this.#connect(listener, last) });
    }
    return new Voice({
      ...parts,
      openSpeech: () => openSpeech(definition, { language: session.language, voice: voiceOf(loaded) }),
    });
  }

  #connect(listener: SpeechToSpeechListener, last: SpeechToSpeech | undefined): Promise<SpeechToSpeech> {
    const { loaded, mindOptions } = this.#parts;
    const { env, ...options } = mindOptions();
    const choice = { language: loaded.session.language, voice: voiceOf(loaded) };
    const session = connectRealtime(loaded.definition, choice, env);
    return SpeechToSpeech.start(session, { ...options, ...(last && { history: last.history }) }, listener);
  }

  #voiceParts(settings: CompiledSpeech): Omit<VoiceParts, 'openSpeech'> {
    const { room, maySpeak, captions, turns } = this.#parts;
    return {
      settings,
      room,
      maySpeak,
      captions,
      onSustained: () => this.#reminders?.busy(),
      onNothing: () => {
        if (!this.#voice?.mouth.current) this.#reminders?.stillQuiet();
      },
      onPause: (text) => turns().expect(text),
      onResumed: () => turns().expectNothing(),
      onHeard: (heard) => this.#onHeard(heard),
      onInterrupted: () => turns().interrupt(),
      onSpoken: (speaking) => {
        if (!speaking.isHeard || speaking.failed) return;
        this.#failures.synthesis = 0;
        // One model is both.
        if (this.mind) this.#failures.recognition = 0;
      },
      onFailure: (part, error) => this.#failed(part, error),
    };
  }

  #onHeard({ segmentId, text, spokeUntil, endedAt, knownAt }: Heard): void {
    this.#failures.recognition = 0;
    this.#reminders?.answered();
    const hearing = { endpointing: endedAt - spokeUntil, recognition: knownAt - endedAt };
    this.#parts.onText({ key: segmentId, text, at: this.#parts.now(), mode: 'VOICE', hearing });
  }

  #makeReminders(): Reminders {
    const { loaded, now, turns, isOpen } = this.#parts;
    const { definition, session } = loaded;
    const { idlePrompt } = definition.speech ?? {};
    const elapsedMs = session.started_at ? now().getTime() - session.started_at.getTime() : 0;
    return new Reminders({
      idlePrompt: idlePrompt && { ...idlePrompt, line: () => inLanguage(idlePrompt.say, session.language) },
      ending: {
        leftMs: definition.limits.maxDurationMs - elapsedMs,
        line: () => languageOf(loaded).lines.limitReached,
      },
      say: (line, key) => {
        if (!isOpen()) return;
        void turns()
          .say(line, key)
          .then(() => this.quiet());
      },
    });
  }

  /** A person who is not heard, or did not hear what could only be shown, is told so. Never silence, and not for ever. */
  #failed(part: 'recognition' | 'synthesis', error: unknown): void {
    const { warn, isOpen, onLost, turns, loaded } = this.#parts;
    this.#failures[part] += 1;
    warn('speech failed', { part, err: error });
    if (!isOpen()) return;
    if (this.#failures[part] >= maxFailures) return onLost();
    const { modelUnavailable } = languageOf(loaded).lines;
    // Turns tell it themselves when the model that speaks fails.
    if (part === 'recognition' || !this.mind) void turns().say(modelUnavailable, `notice ${crypto.randomUUID()}`);
  }
}
