import { type VAD, VADEventType, type VADStream } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import type { EndByWords } from './end-by-words.ts';
import { joined } from './joined.ts';
import { type Pause, patienceMs } from './patience.ts';
import type { HeardUtterance, Recognition } from './recognition.ts';
import { Listening, type VoiceActivitySettings } from './voice-activity.ts';

/** What the person said, once they have finished. */
export interface Heard {
  /** Empty when no words were recognised: a cough, a noise. */
  text: string;
  /** Names the utterance in captions, from its first words on. */
  segmentId: string;
  voicedMs: number;
  /** On the monotonic clock: the last sound of speech, the decision that it was the last, and the words known. */
  spokeUntil: number;
  endedAt: number;
  knownAt: number;
  /** Hardly anything was heard before it on this microphone: it may have begun earlier. */
  isFirst?: boolean;
}

export interface TurnListener {
  /** The person speaks, long enough to be meant. */
  onSustained(): void;
  /** What is known of the words so far. */
  onWords(words: { text: string; segmentId: string }): void;
  /** A pause, and what was said before it. The person may go on. */
  onPause(words: { text: string; segmentId: string }): void;
  /** The person goes on after a pause. */
  onResumed(): void;
  /** The person has finished, so long after their last sound; their words follow (`onHeard`). */
  onEnded(utterance: { segmentId: string; silentForMs: number }): void;
  onHeard(heard: Heard): void;
}

/** How likely the person has finished, 0 to 1, by the sound of what they said (16 kHz). */
export type JudgeEnd = (sound: AudioFrame) => Promise<number>;

/**
 * What makes words of what is heard; `onWords` is told those of the utterance that is being heard, as far as they are known, and
 * `onLateWords` those that came when it was told already.
 */
export type OpenRecognition = (on: {
  onWords: (text: string) => void;
  onLateWords: (text: string) => void;
}) => Recognition;

export interface TurnDetectorParts {
  vad: VAD;
  openRecognition: OpenRecognition;
  judgeEnd: JudgeEnd;
  judgeWords: (text: string) => EndByWords;
  /** Silence that ends an utterance which is unfinished. */
  unfinishedMs: number;
  settings: VoiceActivitySettings;
  listener: TurnListener;
}

/** Sound before speech was noticed: the first consonant is in it. */
const leadMs = 400;
/** A longer utterance is answered in parts. */
const longestMs = 60_000;
/** A muted microphone sends nothing at all: what was begun ends after such a gap. */
const gapMs = 1_000;
/** A process that stood still for so long finds the gap first and then the frames that waited for it. */
const waitingFramesMs = 100;

interface Utterance {
  isFirst: boolean;
  segmentId: string;
  sound: AudioFrame[];
  soundMs: number;
  heard: HeardUtterance;
  words?: Promise<string>;
  stop: AbortController;
}

/** Listens to one microphone: when the person speaks, what they say, and when they have finished. */
export class TurnDetector {
  readonly #parts: TurnDetectorParts;
  readonly #listening: Listening;
  readonly #detection: VADStream;
  #lead: AudioFrame[] = [];
  /** All that was heard so far, before the first utterance. */
  #heardMs = 0;
  #utterance: Utterance | undefined;
  #told: Promise<void> = Promise.resolve();
  /** Utterances that are over and not told yet. */
  #untold = 0;
  #recognition: Recognition;
  #closed = false;
  #gap: NodeJS.Timeout | undefined;

  constructor(parts: TurnDetectorParts) {
    this.#parts = parts;
    this.#recognition = this.#open(parts.openRecognition);
    this.#listening = new Listening(parts.settings);
    this.#detection = parts.vad.stream();
    void this.#follow();
  }

  /** Somebody is in the middle of saying something, or has said what is not told yet. */
  get hasWords(): boolean {
    return this.#utterance !== undefined || this.#untold > 0;
  }

  /** Resolves when there is nothing more to hear. */
  async listen(frames: ReadableStream<AudioFrame>): Promise<void> {
    for await (const frame of frames) {
      if (this.#closed) return;
      this.#recognition.hear(frame);
      this.#detection.pushFrame(frame);
    }
  }

  /** The microphone is gone. Resolves when what it heard last was told. */
  finish(): Promise<void> {
    this.#finish();
    return this.#told;
  }

  /** The agent waits in the middle of its words to learn what is said: the next pause is noticed sooner. */
  hurry(): void {
    this.#listening.hurry();
  }

  /** Words are wanted before there is a pause. A recogniser that works while it hears tells them by itself. */
  peek(): void {
    this.#utterance?.heard.peek(joined(this.#utterance.sound), this.#utterance.stop.signal);
  }

  /** What was said so far wants no answer; what follows is an utterance of its own. */
  dismiss(): void {
    this.#utterance?.stop.abort();
    this.#utterance?.heard.end();
    this.#utterance = undefined;
    clearTimeout(this.#gap);
    this.#listening.finish();
  }

  /** What is said from the next utterance on is recognised by this. */
  changeRecognition(openRecognition: OpenRecognition): void {
    this.#recognition.close();
    this.#recognition = this.#open(openRecognition);
  }

  close(): void {
    // Whoever closes the voice does it, and whoever finds the microphone gone after that.
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#gap);
    this.#utterance?.stop.abort();
    this.#utterance = undefined;
    this.#detection.close();
    this.#recognition.close();
  }

  #open(openRecognition: OpenRecognition): Recognition {
    return openRecognition({
      onWords: (text) => this.#onWords(text),
      onLateWords: (text) => this.#onLateWords(text),
    });
  }

  /** They are told as an utterance of their own: nothing that was said is lost. */
  #onLateWords(text: string): void {
    if (this.#closed) return;
    const now = performance.now();
    const times = { spokeUntil: now, endedAt: now, knownAt: now };
    this.#parts.listener.onHeard({ text, segmentId: `said_${crypto.randomUUID()}`, voicedMs: 0, ...times });
  }

  #onWords(text: string): void {
    if (this.#utterance) this.#parts.listener.onWords({ text, segmentId: this.#utterance.segmentId });
  }

  async #follow(): Promise<void> {
    for await (const event of this.#detection) {
      if (event.type !== VADEventType.INFERENCE_DONE) continue;
      this.#keep(event.frames);
      const ms = event.frames.reduce(addMs, 0);
      this.#heardMs += ms;
      for (const change of this.#listening.window(event.probability, ms)) this.#onChange(change);
      if (this.#utterance && this.#utterance.soundMs > longestMs) this.#finish();
    }
  }

  #keep(frames: AudioFrame[]): void {
    if (this.#utterance) {
      this.#utterance.sound.push(...frames);
      const { sound, heard } = this.#utterance;
      this.#utterance.soundMs = frames.reduce(addMs, this.#utterance.soundMs);
      heard.grows(this.#utterance.soundMs, () => joined(sound));
      clearTimeout(this.#gap);
      this.#gap = setTimeout(() => {
        this.#gap = setTimeout(() => this.#finish(), waitingFramesMs);
      }, gapMs);
      return;
    }
    this.#lead.push(...frames);
    while (this.#lead.slice(1).reduce(addMs, 0) >= leadMs) this.#lead.shift();
  }

  #finish(): void {
    for (const change of this.#listening.finish()) this.#onChange(change);
  }

  #onChange(change: ReturnType<Listening['window']>[number]): void {
    switch (change) {
      case 'began':
        return this.#begin();
      case 'sustained':
        return this.#parts.listener.onSustained();
      case 'paused':
        return this.#recognise();
      case 'resumed':
        return this.#goOn();
      case 'ended':
        return this.#end();
      default:
        return change satisfies never;
    }
  }

  #begin(): void {
    const sound = this.#lead;
    this.#lead = [];
    this.#utterance = {
      isFirst: this.#heardMs <= leadMs,
      segmentId: `said_${crypto.randomUUID()}`,
      sound,
      soundMs: sound.reduce(addMs, 0),
      heard: this.#recognition.begin(),
      stop: new AbortController(),
    };
  }

  #recognise(): void {
    const utterance = this.#utterance;
    if (!utterance) return;
    const { signal } = utterance.stop;
    const sound = joined(utterance.sound);
    const known = this.#pauseOf(utterance);
    known({});
    void this.#parts.judgeEnd(sound).then((bySound) => known({ bySound }));
    utterance.words = utterance.heard.words(sound, signal);
    void utterance.words.then((text) => {
      if (signal.aborted || this.#utterance !== utterance) return;
      known({ byWords: this.#parts.judgeWords(text) });
      const { segmentId } = utterance;
      this.#parts.listener.onPause({ text, segmentId });
    });
  }

  /** Takes what becomes known in a pause that begins now: it tells how much silence ends the turn. */
  #pauseOf(utterance: Utterance): (more: Pause) => void {
    const { signal } = utterance.stop;
    const { settings, unfinishedMs } = this.#parts;
    const pause: Pause = {};
    return (more) => {
      if (signal.aborted || this.#utterance !== utterance) return;
      this.#listening.wait(patienceMs(Object.assign(pause, more), { endMs: settings.endMs, unfinishedMs }));
    };
  }

  /** What was recognised in the pause is only a part. */
  #goOn(): void {
    if (!this.#utterance) return;
    this.#utterance.stop.abort();
    this.#utterance.stop = new AbortController();
    this.#parts.listener.onResumed();
  }

  #end(): void {
    const utterance = this.#utterance;
    this.#utterance = undefined;
    clearTimeout(this.#gap);
    if (!utterance?.words) return void utterance?.heard.end();
    const { words, segmentId, heard, isFirst } = utterance;
    const endedAt = performance.now();
    const { voicedMs, silenceMs } = this.#listening;
    // In the order in which they were said, however long each takes to be recognised.
    this.#untold += 1;
    this.#parts.listener.onEnded({ segmentId, silentForMs: silenceMs });
    this.#told = this.#told
      .then(() => words)
      .then(() => heard.settled())
      .then(() => {
        this.#untold -= 1;
        // Read again: its last part may have come after the pause in which it was asked for.
        const text = heard.end();
        const times = { spokeUntil: endedAt - silenceMs, endedAt, knownAt: performance.now() };
        this.#parts.listener.onHeard({ text, segmentId, voicedMs, isFirst, ...times });
      });
  }
}

const addMs = (sum: number, frame: AudioFrame) => sum + (frame.samplesPerChannel * 1000) / frame.sampleRate;
