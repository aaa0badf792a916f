import { inference, type stt, type tts } from '@livekit/agents';
import type { CompiledSpeech } from '../../../agent-files/definition/compiled.ts';
import { bestEffort } from '../../../process/best-effort.ts';
import { sleep } from '../../../process/sleep.ts';
import type { AgentRoom } from '../../room/agent-room.ts';
import type { Microphone } from '../../room/microphone.ts';
import type { SpeakingGate, TextOutput } from '../text-output.ts';
import { Ear, type Heard, type OpenRecognition } from './ear.ts';
import { judgeEnd } from './end-of-turn.ts';
import { isMeant } from './meaning.ts';
import { Mouth } from './mouth.ts';
import { openRecognition } from './recognition.ts';
import type { Speaking } from './speaking.ts';
import { SpokenOutput } from './spoken-output.ts';
import { openVoiceStream } from './synthesis.ts';

/** Recognition and voice in the session's language, as `speech/` opens them. */
export interface Speech {
  stt: stt.STT;
  tts: tts.TTS;
  close(): Promise<void>;
}

export interface VoiceParts {
  settings: Pick<CompiledSpeech, 'interruption' | 'endpointing'>;
  room: () => AgentRoom;
  maySpeak: SpeakingGate;
  /** Speech in the language that the session has now. */
  openSpeech: () => Promise<Speech>;
  captions: () => TextOutput;
  /** The person makes a sound that may be speech. */
  onSustained(): void;
  /** It was none, or it wants no answer. */
  onNothing(): void;
  /** The person has said this while the agent was silent, and has perhaps finished. */
  onPause(text: string): void;
  /** They had not. */
  onResumed(): void;
  /** The person has said something that wants an answer. */
  onHeard(heard: Heard): void;
  /** The person speaks over the agent, and means it. Resolves when what was being said has its place in the transcript. */
  onInterrupted(): Promise<void>;
  onSpoken(speaking: Speaking): void;
  onFailure(part: 'recognition' | 'synthesis', error: unknown): void;
}

/** Silence after which what was said so far is recognised; the person may go on. */
const pauseMs = 200;
/**
 * The same when the agent was held in the middle of its words, so that "mm-hm" costs the listener little: three windows of voice
 * detection and half of one, which with its own delay are about 150 ms of true silence (bench, voice-barge-in).
 */
const hurriedPauseMs = 110;
/** A person with many pauses in one sentence would cost a prompt for each (the framework's own bound, 1.9.0). */
const mostHeadStarts = 3;
/** So many persons are heard in one room; each costs the voice detection of a conversation. */
const mostEars = 4;
const lookEveryMs = 20;
/** What was said last is on its way when the microphone goes. */
const lastFramesMs = 200;

/**
 * The spoken side of a conversation: an ear on each person's microphone and the agent's mouth. It decides who has the
 * floor: the agent falls silent as soon as somebody seems to speak, and goes on where it was when they only listened.
 */
export class Voice {
  readonly mouth: Mouth;
  readonly #parts: VoiceParts;
  readonly #vad: inference.VAD;
  #speech: Promise<Speech> | undefined;
  /** By microphone; without an ear as long as it is being opened. */
  readonly #ears = new Map<Microphone, Ear | undefined>();
  /** Where somebody seems to speak over the agent. */
  readonly #speaking = new Set<Microphone>();
  #voiceError: Error | undefined;
  /** Of what is being said, or was last. */
  #pauses = { segmentId: '', count: 0 };
  /** What the person spoke over last has its place in the transcript. */
  #interrupted: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(parts: VoiceParts) {
    this.#parts = parts;
    // What was heard is kept by the ear; the detector's own copy would cost 2 MB a session.
    this.#vad = new inference.VAD({ maxBufferedSpeech: 100, prefixPaddingDuration: 0 });
    this.mouth = new Mouth({
      speaker: () => parts.room().speaker(),
      openVoice: async () => openVoiceStream((await this.#open()).tts),
      maySpeak: parts.maySpeak,
      onFailure: (error) => parts.onFailure('synthesis', this.#voiceError ?? error),
    });
  }

  makeOutput(): SpokenOutput {
    return new SpokenOutput(this.mouth, this.#parts.captions(), this.#parts.onSpoken);
  }

  /** Listens to this microphone until it is gone, and to no other of the same person. */
  async listenTo(microphone: Microphone): Promise<void> {
    for (const other of this.#ears.keys()) if (other.identity === microphone.identity) this.#deafTo(other);
    if (this.#ears.size >= mostEars) return;
    this.#ears.set(microphone, undefined);
    try {
      const gone = microphone.gone.then(() => sleep(lastFramesMs));
      await Promise.race([this.#hear(microphone), gone]);
      await this.#ears.get(microphone)?.finish();
    } finally {
      this.#deafTo(microphone);
    }
  }

  /** Resolves when nobody is in the middle of saying something, and what they said is told; after `withinMs` in any case. */
  async hearOut(withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    const isSpokenTo = () => [...this.#ears.values()].some((ear) => ear?.hasWords);
    while (isSpokenTo() && performance.now() < deadline) await sleep(lookEveryMs);
  }

  /** The session has another language, or voice, from now on. */
  async reopen(): Promise<void> {
    const before = this.#speech;
    this.#speech = undefined;
    this.mouth.changeVoice();
    const { stt } = await this.#open();
    for (const ear of this.#ears.values()) ear?.changeRecognition(this.#recognitionBy(stt));
    await this.mouth.quiet;
    const closed = before?.then((speech) => speech.close());
    await bestEffort('speech may never have been opened', closed);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.mouth.stop();
    for (const ear of this.#ears.values()) ear?.close();
    const closed = this.#speech?.then((speech) => speech.close());
    await bestEffort('speech may never have been opened', closed);
  }

  async #hear(microphone: Microphone): Promise<void> {
    const frames = await microphone.listen();
    const { stt } = await this.#open();
    if (!this.#ears.has(microphone) || this.#closed) return;
    const ear = this.#makeEar(microphone, stt);
    this.#ears.set(microphone, ear);
    await ear.listen(frames);
  }

  #makeEar(microphone: Microphone, stt: stt.STT): Ear {
    const { endpointing, interruption } = this.#parts.settings;
    return new Ear({
      vad: this.#vad,
      openRecognition: this.#recognitionBy(stt),
      judgeEnd,
      unfinishedMs: endpointing.maxDelayMs,
      settings: {
        sustainedMs: interruption.minDurationMs,
        pauseMs: Math.min(pauseMs, endpointing.minSilenceMs),
        hurriedPauseMs,
        endMs: endpointing.minSilenceMs,
      },
      listener: {
        onSustained: () => this.#onSustained(microphone),
        onWords: (words) => this.#caption(microphone, words, false),
        onPause: (words) => this.#decide(microphone, words),
        onResumed: () => this.#parts.onResumed(),
        onHeard: (heard) => this.#onHeard(microphone, heard),
      },
    });
  }

  #recognitionBy(recogniser: stt.STT): OpenRecognition {
    const onFailure = (error: unknown) => this.#parts.onFailure('recognition', error);
    return (onWords) => openRecognition(recogniser, { onWords, onFailure });
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
    return speech;
  }

  #deafTo(microphone: Microphone): void {
    this.#ears.get(microphone)?.close();
    this.#ears.delete(microphone);
    this.#goOn(microphone);
  }

  #onSustained(microphone: Microphone): 'held' | 'free' {
    this.#parts.onSustained();
    if (!this.#parts.settings.interruption.enabled) return 'free';
    this.#speaking.add(microphone);
    this.mouth.hold('person');
    return this.mouth.current?.isHeard ? 'held' : 'free';
  }

  /** Nobody speaks over the agent here; once nobody does anywhere, it goes on. */
  #goOn(microphone: Microphone): void {
    this.#speaking.delete(microphone);
    if (this.#speaking.size === 0) this.mouth.release('person');
  }

  /** The person has paused: what they said so far tells whether the agent may go on. */
  #decide(microphone: Microphone, words: { text: string; segmentId: string }): 'open' | 'dismissed' {
    const { current } = this.mouth;
    if (!current && words.text && this.#isWorthAnAnswer(words.segmentId)) this.#parts.onPause(words.text);
    if (!current?.isHeard || !this.mouth.isHeld) return 'open';
    if (this.#isMeant(words.text)) {
      this.#interrupted = this.#parts.onInterrupted();
      return 'open';
    }
    if (words.text) this.#caption(microphone, words, true);
    this.#goOn(microphone);
    return 'dismissed';
  }

  /** The first pauses of what is being said. */
  #isWorthAnAnswer(segmentId: string): boolean {
    const pauses = this.#pauses.segmentId === segmentId ? this.#pauses.count + 1 : 1;
    this.#pauses = { segmentId, count: pauses };
    return pauses <= mostHeadStarts;
  }

  #onHeard(microphone: Microphone, heard: Heard): void {
    const listened = this.mouth.current?.isHeard && !this.#isMeant(heard.text);
    if (heard.text) this.#caption(microphone, heard, true);
    if (heard.text && !listened) {
      if (this.mouth.current && this.#parts.settings.interruption.enabled) {
        this.#interrupted = this.#parts.onInterrupted();
      }
      void this.#interrupted.then(() => this.#parts.onHeard(heard));
    } else this.#parts.onNothing();
    this.#goOn(microphone);
  }

  #isMeant(text: string): boolean {
    const { current } = this.mouth;
    // Nothing of the answer was heard yet: the person goes on with what they were saying.
    if (!current?.isHeard) return text !== '';
    return isMeant(text, { ahead: current.ahead, minWords: this.#parts.settings.interruption.minWords });
  }

  #caption({ identity, trackSid }: Microphone, said: { text: string; segmentId: string }, isFinal: boolean): void {
    const { text, segmentId } = said;
    const shown = this.#parts.room().showHeard({ identity, trackSid, segmentId, text, isFinal });
    void bestEffort('a caption that the room did not take is not repeated: the transcript has the words', shown);
  }
}
