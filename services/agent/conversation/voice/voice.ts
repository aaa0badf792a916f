import { inference, type stt, type tts } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import type { CompiledSpeech } from '../../../agent-files/definition/compiled.ts';
import { bestEffort } from '../../../process/best-effort.ts';
import { sleep } from '../../../process/sleep.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import type { IncomingText } from '../../room/hearing.ts';
import type { Microphone } from '../../room/microphone.ts';
import type { SpeechFact } from '../state/fact.ts';
import type { SpeakingGate, TextOutput } from '../text-output.ts';
import { endByWords } from './end-by-words.ts';
import { judgeEnd } from './end-of-turn.ts';
import { openRecognition } from './open-recognition.ts';
import { PlayoutQueue } from './playout-queue.ts';
import { SpokenOutput } from './spoken-output.ts';
import type { SpokenReply } from './spoken-reply.ts';
import { atSpeakerRate, openVoiceStream } from './synthesis.ts';
import { type Heard, type OpenRecognition, TurnDetector, type TurnListener } from './turn-detector.ts';

/** Recognition and voice in the session's language, as `speech/` opens them. */
export interface Speech {
  stt: stt.STT;
  tts: tts.TTS;
  /** Has the sound of a line made, should somebody have to hear it while the voice is late. Never rejects: undefined where there is none. */
  prepare?(line: string): Promise<readonly AudioFrame[] | undefined>;
  close(): Promise<void>;
}

export interface VoiceParts {
  settings: Pick<CompiledSpeech, 'interruption' | 'endpointing'>;
  room: () => AgentRoom;
  maySpeak: SpeakingGate;
  /** Speech in the language that the session has now. */
  openSpeech: () => Promise<Speech>;
  /** In the language that the session has now; empty where the agent has none. */
  filler: () => string;
  captions: () => TextOutput;
  /** That the session has now. */
  language: () => string;
  post(fact: SpeechFact): void;
  /** Another host listened a moment ago. */
  hasJustTakenOver: () => boolean;
  /** Makes a text to be taken in of what was heard. */
  toText(heard: Heard): IncomingText;
  onSpoken(speaking: SpokenReply): void;
  onFailure(part: 'recognition' | 'synthesis', error: unknown): void;
}

/** Silence after which what was said so far is recognised; the person may go on. */
const pauseMs = 200;
/**
 * The same when the agent was held in the middle of its words, so that "mm-hm" costs the listener little: three windows of voice
 * detection and half of one, which with its own delay are about 150 ms of true silence (bench, voice-barge-in).
 */
const hurriedPauseMs = 110;
/** So many persons are heard in one room; each costs the voice detection of a conversation. */
const mostDetectors = 4;
const lookEveryMs = 20;
/** Of a sentence whose beginning is missing perhaps nothing is understood; so long a sound was one. */
const meantMs = 600;
/** What was said last is on its way when the microphone goes. */
const lastFramesMs = 200;

/** Without a detector as long as it is being opened. */
interface Listening {
  detector: TurnDetector | undefined;
}

/** The spoken side of a conversation: turn detection on each person's microphone, and the agent's playout. What it hears is told; others decide. */
export class Voice {
  readonly playout: PlayoutQueue;
  readonly #parts: VoiceParts;
  readonly #vad: inference.VAD;
  #speech: Promise<Speech> | undefined;
  /** The latest of each microphone, which is listened to anew when the person wants to be heard again. */
  readonly #listening = new Map<Microphone, Listening>();
  /** Its sound is there. */
  #filler: { line: string; sound: readonly AudioFrame[] } | undefined;
  #voiceError: Error | undefined;
  #closed = false;

  constructor(parts: VoiceParts) {
    this.#parts = parts;
    // What was heard is kept by the turn detector; the detector's own copy would cost 2 MB a session.
    this.#vad = new inference.VAD({ maxBufferedSpeech: 100, prefixPaddingDuration: 0 });
    this.playout = new PlayoutQueue({
      speaker: () => parts.room().speaker(),
      openVoice: async () => openVoiceStream((await this.#open()).tts),
      maySpeak: parts.maySpeak,
      language: parts.language,
      soundOf: (line) => (this.#filler?.line === line ? atSpeakerRate(this.#filler.sound) : undefined),
      onFailure: (error) => parts.onFailure('synthesis', this.#voiceError ?? error),
    });
  }

  makeOutput(): SpokenOutput {
    return new SpokenOutput(this.playout, this.#parts.captions(), this.#parts.onSpoken);
  }

  /** Listens to this microphone until it is gone, and to no other of the same person. */
  async listenTo(microphone: Microphone): Promise<void> {
    for (const other of this.#listening.keys()) if (other.identity === microphone.identity) this.#deafTo(other);
    if (this.#listening.size >= mostDetectors) return;
    const listening: Listening = { detector: undefined };
    this.#listening.set(microphone, listening);
    try {
      const gone = microphone.gone.then(() => sleep(lastFramesMs));
      await Promise.race([this.#hear(microphone, listening), gone]);
      await listening.detector?.finish();
    } finally {
      if (this.#listening.get(microphone) === listening) this.#deafTo(microphone);
    }
  }

  /** Nobody is heard any more. */
  deafToAll(): void {
    for (const microphone of this.#listening.keys()) this.#deafTo(microphone);
  }

  hurry(microphone: string): void {
    this.#detectorOn(microphone)?.hurry();
  }

  peek(microphone: string): void {
    this.#detectorOn(microphone)?.peek();
  }

  dismiss(microphone: string): void {
    this.#detectorOn(microphone)?.dismiss();
  }

  /** Resolves when nobody is in the middle of saying something, and what they said is told; after `withinMs`, or in haste, in any case. */
  async hearOut(withinMs: number, isInHaste: () => boolean): Promise<void> {
    const deadline = performance.now() + withinMs;
    const isSpokenTo = () => [...this.#listening.values()].some(({ detector }) => detector?.hasWords);
    while (isSpokenTo() && !isInHaste() && performance.now() < deadline) await sleep(lookEveryMs);
  }

  /** The session has another language, or voice, from now on. */
  async reopen(): Promise<void> {
    const before = this.#speech;
    this.#speech = undefined;
    this.playout.changeVoice();
    const { stt } = await this.#open();
    for (const { detector } of this.#listening.values()) detector?.changeRecognition(this.#recognitionBy(stt));
    await this.playout.quiet;
    const closed = before?.then((speech) => speech.close());
    await bestEffort('speech may never have been opened', closed);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.playout.stop();
    for (const { detector } of this.#listening.values()) detector?.close();
    const closed = this.#speech?.then((speech) => speech.close());
    await bestEffort('speech may never have been opened', closed);
  }

  async #hear(microphone: Microphone, listening: Listening): Promise<void> {
    const frames = await microphone.listen();
    const { stt } = await this.#open();
    if (this.#listening.get(microphone) !== listening || this.#closed) return;
    const detector = this.#makeDetector(microphone, stt);
    listening.detector = detector;
    await detector.listen(frames);
  }

  #makeDetector(microphone: Microphone, stt: stt.STT): TurnDetector {
    const { endpointing, interruption } = this.#parts.settings;
    return new TurnDetector({
      vad: this.#vad,
      openRecognition: this.#recognitionBy(stt),
      judgeEnd,
      judgeWords: (text) => endByWords(text, this.#parts.language()),
      unfinishedMs: endpointing.maxDelayMs,
      settings: {
        sustainedMs: interruption.minDurationMs,
        pauseMs: Math.min(pauseMs, endpointing.minSilenceMs),
        hurriedPauseMs,
        endMs: endpointing.minSilenceMs,
      },
      listener: this.#teller(microphone.trackSid),
    });
  }

  #detectorOn(trackSid: string): TurnDetector | undefined {
    const microphone = [...this.#listening.keys()].find((one) => one.trackSid === trackSid);
    return microphone && this.#listening.get(microphone)?.detector;
  }

  #recognitionBy(recogniser: stt.STT): OpenRecognition {
    const onFailure = (error: unknown) => this.#parts.onFailure('recognition', error);
    return (on) => openRecognition(recogniser, { ...on, onFailure });
  }

  #open(): Promise<Speech> {
    this.#speech ??= this.#openSpeech();
    return this.#speech;
  }

  async #openSpeech(): Promise<Speech> {
    const speech = await this.#parts.openSpeech();
    speech.stt.on('error', ({ error, recoverable }) => {
      if (!recoverable) this.#parts.onFailure('recognition', error);
    });
    // A voice that fails ends its stream without a word; whoever waits for the sound tells of it, with this reason.
    speech.tts.on('error', ({ error }) => {
      this.#voiceError = error;
    });
    void this.#prepare(speech, this.#parts.filler());
    return speech;
  }

  async #prepare(speech: Speech, line: string): Promise<void> {
    this.#filler = undefined;
    const sound = line ? await speech.prepare?.(line) : undefined;
    this.#filler = sound && { line, sound };
  }

  #deafTo(microphone: Microphone): void {
    this.#listening.get(microphone)?.detector?.close();
    if (this.#listening.delete(microphone)) this.#parts.post({ kind: 'speech_lost', microphone: microphone.trackSid });
  }

  /** Each thing that is heard, with what the agent is saying at that moment. */
  #teller(microphone: string): TurnListener {
    const { post, toText } = this.#parts;
    const playout = () => this.playout.now;
    return {
      onSustained: () => post({ kind: 'speech_sustained', microphone, playout: playout() }),
      onWords: (words) => post({ kind: 'words_known', microphone, words, playout: playout() }),
      onPause: (words) => post({ kind: 'speech_paused', microphone, words, playout: playout() }),
      onResumed: () => post({ kind: 'speech_resumed', microphone }),
      onEnded: ({ segmentId, silentForMs }) =>
        post({ kind: 'speech_ended', utterance: segmentId, silentForMs, playout: playout() }),
      onHeard: (heard) => {
        const { text, segmentId, isFirst = false, voicedMs } = heard;
        const words = { text, segmentId };
        const isMeant = text !== '' || voicedMs >= meantMs;
        const isEnd = isFirst && isMeant && this.#parts.hasJustTakenOver();
        post({ kind: 'speech_heard', microphone, words, text: toText(heard), playout: playout(), isEnd });
      },
    };
  }
}
