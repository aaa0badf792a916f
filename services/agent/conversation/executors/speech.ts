import type { CompiledAgent, CompiledSpeech } from '../../../agent-files/definition/compiled.ts';
import { bestEffort } from '../../../process/best-effort.ts';
import { remember } from '../../../process/remember.ts';
import { ifLate, within } from '../../../process/within.ts';
import { connectRealtime } from '../../models/realtime.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import type { IncomingText } from '../../room/hearing.ts';
import type { Microphone } from '../../room/microphone.ts';
import { inLanguage, languageOf, voiceOf } from '../language.ts';
import type { Loaded } from '../loading.ts';
import type { Answerer, ModelSessionOptions } from '../model-session.ts';
import type { Output } from '../output.ts';
import type { SpeechEffect } from '../state/effect.ts';
import type { Playout, SpeechFact, TurnFact, Words } from '../state/fact.ts';
import type { SpeakingGate, TextOutput } from '../text-output.ts';
import { RealtimeVoice } from '../voice/realtime-voice.ts';
import { Reminders } from '../voice/reminders.ts';
import { SpeechToSpeech, type SpeechToSpeechListener } from '../voice/speech-to-speech.ts';
import type { Heard } from '../voice/turn-detector.ts';
import { type Speech as OpenedSpeech, Voice, type VoiceParts } from '../voice/voice.ts';

/** Recognition and voice for one session, in one language. */
export type OpenSpeech = (
  definition: CompiledAgent,
  choice: { language: string; voice: string | undefined },
) => Promise<OpenedSpeech>;

export interface SpeechParts {
  post: (fact: SpeechFact | TurnFact) => void;
  loaded: Loaded;
  /** Undefined where this host can neither hear nor speak. */
  openSpeech: OpenSpeech | undefined;
  /** What a speech-to-speech model is to know. */
  modelSessionOptions: () => ModelSessionOptions;
  room: () => AgentRoom;
  captions: () => TextOutput;
  maySpeak: SpeakingGate;
  now: () => Date;
  /** Whether what the agent says is heard, by what the conversation knows. */
  isSpoken: () => boolean;
  /** What is said to those who wait, whose sound is made ahead. */
  filler: () => string;
  /** The session is spoken from now on; false where this host cannot speak it, or has no room for it. */
  becomeSpoken: () => Promise<boolean>;
  warn: (text: string, fields: Record<string, unknown>) => void;
}

/** Somewhat less than the 60 s after which others may have the place of a call that nobody has joined (functions/voice_room.sql). */
const placeKeptMs = 55_000;
/** Microphones come and go as often as a visitor likes. */
const mostIdentities = 100;
/** The session's end waits for it, and the room with it. */
const closedWithinMs = 2_000;
/** Who speaks when a host has taken over is heard to the end within this; later, a microphone that begins in the middle is a new one. */
const listenedBeforeMs = 30_000;
/** The agent holds its breath for so long without a word until words are looked for, and for so long again. */
const holdMs = 750;

/** Carries out what is heard and said aloud: nothing in a written conversation, until the person takes a microphone. */
export class Speech {
  readonly #parts: SpeechParts;
  /** By track. */
  readonly #microphones = new Map<string, Microphone>();
  /** Whose they are or were: the last words are known when a microphone is gone. */
  readonly #identities = new Map<string, string>();
  readonly #beganAt = performance.now();
  #voice: Voice | RealtimeVoice | undefined;
  #reminders: Reminders | undefined;

  constructor(parts: SpeechParts) {
    this.#parts = parts;
    if (parts.loaded.session.interaction_mode === 'VOICE') this.#voice = this.#makeVoice();
  }

  /** The model that answers, where it is the one that hears and speaks. */
  get model(): Answerer | undefined {
    return this.#voice instanceof RealtimeVoice ? this.#voice.model : undefined;
  }

  /** Nobody joined for so long that others may have the place of this call. */
  get placeLapsed(): boolean {
    const { loaded, now } = this.#parts;
    return now().getTime() - loaded.session.created_at.getTime() >= placeKeptMs;
  }

  /** What is being said aloud at this moment. */
  get playout(): Playout | undefined {
    return this.#voice?.playout.now;
  }

  /** For a turn that is said aloud; undefined in a written conversation. */
  makeOutput(): Output | undefined {
    return this.#parts.isSpoken() ? this.#voice?.makeOutput() : undefined;
  }

  /** The agent is in this room, before the person hears anything: their client has the agent's voice when it is to be heard. */
  enter(room: AgentRoom): void {
    if (!this.#voice) return;
    room.speaker().catch((error: unknown) => this.#parts.warn('the voice is not in the room', { err: error }));
  }

  onMicrophone(microphone: Microphone): void {
    const { trackSid } = microphone;
    this.#microphones.set(trackSid, microphone);
    remember(this.#identities, trackSid, microphone.identity, mostIdentities);
    this.#parts.post({ kind: 'microphone_there', microphone: trackSid });
    void microphone.gone.then(() => {
      // The same track comes again with another connection of ours.
      if (this.#microphones.get(trackSid) !== microphone) return;
      this.#microphones.delete(trackSid);
      this.#parts.post({ kind: 'microphone_gone', microphone: trackSid });
    });
  }

  carryOut(effect: SpeechEffect): void {
    switch (effect.kind) {
      case 'hold':
        return this.#voice?.playout.hold(effect.why);
      case 'release':
        return this.#voice?.playout.release(effect.why);
      case 'time_hold':
        return this.#timeHold(effect.hold);
      case 'hurry':
      case 'peek':
      case 'dismiss':
        return this.#tellDetector(effect.kind, effect.microphone);
      case 'caption':
        return this.#caption(effect.microphone, effect.words, effect.isFinal);
      case 'ask_spoken':
        return void this.#askSpoken();
      case 'listen':
        return void this.#listen(effect.microphone);
      case 'stop_listening':
        return this.#voice?.deafToAll();
      case 'read_the_rest':
        return this.#voice?.playout.readTheRest();
      case 'show_mode':
        return this.#parts.room().showMode(effect.mode);
      case 'mind_silence':
        return this.#mindSilence(effect.now);
      default:
        return effect satisfies never;
    }
  }

  /** What is said from now on is in the language that the session has now, on both sides. */
  languageChanged(): void {
    this.#voice?.reopen().catch((error: unknown) => this.#failed('recognition', error));
  }

  /** Before somebody else listens: what the person is saying is heard to its end. */
  async hearOut(withinMs: number, isInHaste: () => boolean): Promise<void> {
    // With a speech-to-speech model it is the provider that knows, and nobody asks it here.
    if (this.#voice instanceof Voice) await this.#voice.hearOut(withinMs, isInHaste);
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

  #timeHold(hold: number): void {
    setTimeout(() => this.#parts.post({ kind: 'hold_overdue', hold, playout: this.playout }), holdMs).unref();
  }

  #tellDetector(what: 'hurry' | 'peek' | 'dismiss', microphone: string): void {
    // A speech-to-speech model is asked nothing of the kind.
    if (this.#voice instanceof Voice) this.#voice[what](microphone);
  }

  #caption(trackSid: string, { text, segmentId }: Words, isFinal: boolean): void {
    const identity = this.#identities.get(trackSid);
    if (!identity) return;
    const shown = this.#parts.room().showHeard({ identity, trackSid, segmentId, text, isFinal });
    void bestEffort('a caption that the room did not take is not repeated: the transcript has the words', shown);
  }

  async #askSpoken(): Promise<void> {
    const { post, becomeSpoken, warn } = this.#parts;
    const voice = this.#voice ?? this.#makeVoice();
    // Of a call that had its place before, nobody says that it has lost it.
    const unknown = this.#voice !== undefined;
    const asked = voice === undefined ? Promise.resolve(false) : becomeSpoken();
    const granted = await asked.catch((error: unknown) => {
      warn('nobody could say whether the session has a place among the spoken ones', { err: error });
      return unknown;
    });
    if (!granted) await this.close();
    this.#voice = granted ? voice : undefined;
    post({ kind: 'spoken_decided', granted });
  }

  async #listen(trackSid: string): Promise<void> {
    const microphone = this.#microphones.get(trackSid);
    try {
      if (microphone) await this.#voice?.listenTo(microphone);
    } catch (error) {
      this.#failed('recognition', error);
    }
  }

  #mindSilence(now: Extract<SpeechEffect, { kind: 'mind_silence' }>['now']): void {
    if (now === 'there' && this.#parts.isSpoken()) this.#reminders ??= this.#makeReminders();
    const reminders = this.#reminders;
    if (now === 'silent') reminders?.quiet();
    else if (now === 'no_words') reminders?.stillQuiet();
    else if (now === 'answered') reminders?.answered();
    else reminders?.busy();
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
      filler: this.#parts.filler,
    });
  }

  #connect(listener: SpeechToSpeechListener, last: SpeechToSpeech | undefined): Promise<SpeechToSpeech> {
    const { loaded, modelSessionOptions } = this.#parts;
    const { env, ...options } = modelSessionOptions();
    const choice = { language: loaded.session.language, voice: voiceOf(loaded) };
    const session = connectRealtime(loaded.definition, choice, env);
    return SpeechToSpeech.start(session, { ...options, ...(last && { history: last.history }) }, listener);
  }

  #voiceParts(settings: CompiledSpeech): Omit<VoiceParts, 'openSpeech' | 'filler'> {
    const { room, maySpeak, captions, post, loaded } = this.#parts;
    return {
      ...{ settings, room, maySpeak, captions, post },
      language: () => loaded.session.language,
      hasJustTakenOver: () => loaded.session.epoch > 1 && performance.now() - this.#beganAt < listenedBeforeMs,
      toText: (heard) => this.#toText(heard),
      onSpoken: ({ isHeard, failed }) => post({ kind: 'spoken', isHeard, failed }),
      onFailure: (part, error) => this.#failed(part, error),
    };
  }

  #toText({ segmentId, text, spokeUntil, endedAt, knownAt }: Heard): IncomingText {
    const hearing = { endpointing: endedAt - spokeUntil, recognition: knownAt - endedAt };
    return { key: segmentId, text, at: this.#parts.now(), mode: 'VOICE', hearing };
  }

  #makeReminders(): Reminders {
    const { loaded, now, post } = this.#parts;
    const { definition, session } = loaded;
    const { idlePrompt } = definition.speech ?? {};
    const elapsedMs = session.started_at ? now().getTime() - session.started_at.getTime() : 0;
    return new Reminders({
      idlePrompt: idlePrompt && { ...idlePrompt, line: () => inLanguage(idlePrompt.say, session.language) },
      ending: {
        leftMs: definition.limits.maxDurationMs - elapsedMs,
        line: () => languageOf(loaded).lines.limitReached,
      },
      say: (text, key) => post({ kind: 'line_due', text, key }),
    });
  }

  #failed(part: 'recognition' | 'synthesis', error: unknown): void {
    this.#parts.warn('speech failed', { part, err: error });
    this.#parts.post({ kind: 'speech_failed', part });
  }
}
