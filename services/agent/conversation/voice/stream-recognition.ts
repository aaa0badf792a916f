import { stt } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { ifLate, within } from '../../../process/within.ts';
import type { HeardUtterance, Recognition, RecognitionEvents } from './recognition.ts';

/** How long a recogniser may take for words of which nothing, or only a guess, is known: time for another to take its place. */
const lastWordsMs = 3_000;
/**
 * A recogniser tells one utterance in several parts (Deepgram: `is_final` without `speech_final`), and answers the flush at its end with the
 * last one, which may be empty and is then told to nobody. So long it is waited for when something is known already.
 */
const lastPartMs = 500;

/** Recognition while the person speaks; a stream that breaks (its recogniser tells why) is opened again with the next utterance. */
export class StreamRecognition implements Recognition {
  readonly #recogniser: stt.STT;
  readonly #events: RecognitionEvents;
  #stream: stt.SpeechStream | undefined;
  /** Utterances that are not told yet, the last of them being heard. */
  #open: StreamedUtterance[] = [];
  #closed = false;

  constructor(recogniser: stt.STT, events: RecognitionEvents) {
    this.#recogniser = recogniser;
    this.#events = events;
    this.#listen();
  }

  hear(frame: AudioFrame): void {
    try {
      this.#stream?.pushFrame(frame);
    } catch {
      // It ended in this very moment; its reader opens another.
    }
  }

  begin(): HeardUtterance {
    if (!this.#stream && !this.#closed) this.#listen();
    const utterance = new StreamedUtterance({
      isListening: () => this.#stream !== undefined,
      flush: () => this.#stream?.flush(),
      onWords: this.#events.onWords,
      onEnd: () => {
        this.#open = this.#open.filter((one) => one !== utterance);
      },
    });
    this.#open.push(utterance);
    return utterance;
  }

  close(): void {
    this.#closed = true;
    this.#stream?.close();
    this.#stream = undefined;
    for (const utterance of this.#open) utterance.changed();
  }

  #listen(): void {
    const stream = this.#recogniser.stream();
    this.#stream = stream;
    void this.#read(stream);
  }

  async #read(stream: stt.SpeechStream): Promise<void> {
    for await (const event of stream) this.#take(event);
    if (this.#stream === stream) this.#stream = undefined;
    for (const utterance of this.#open) utterance.changed();
  }

  #take(event: stt.SpeechEvent): void {
    const isFinal = event.type === stt.SpeechEventType.FINAL_TRANSCRIPT;
    if (!isFinal && event.type !== stt.SpeechEventType.INTERIM_TRANSCRIPT) return;
    const text = event.alternatives?.[0]?.text.trim() ?? '';
    // The first that waits for an answer has it; else these are words of the one that is being heard.
    const utterance = this.#open.find(({ isAwaited }) => isAwaited) ?? this.#open.at(-1);
    if (utterance) utterance.take(text, isFinal);
    else if (isFinal && text) this.#events.onLateWords(text);
  }
}

interface StreamedUtteranceParts {
  isListening(): boolean;
  flush(): void;
  onWords(text: string): void;
  onEnd(): void;
}

class StreamedUtterance implements HeardUtterance {
  readonly #parts: StreamedUtteranceParts;
  readonly #known: string[] = [];
  #guess = '';
  #isAwaited = false;
  #changed = Promise.withResolvers<void>();

  constructor(parts: StreamedUtteranceParts) {
    this.#parts = parts;
  }

  /** Its sound is over, and the recogniser has not answered. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  take(text: string, isFinal: boolean): void {
    if (isFinal && text) this.#known.push(text);
    this.#guess = isFinal ? '' : text;
    if (isFinal) this.#isAwaited = false;
    if (this.#text) this.#parts.onWords(this.#text);
    this.changed();
  }

  async words(_sound: AudioFrame, signal: AbortSignal): Promise<string> {
    const askedAt = performance.now();
    this.#isAwaited = true;
    this.#parts.flush();
    while ((this.#isAwaited || this.#guess) && this.#parts.isListening() && !signal.aborted) {
      const patienceMs = this.#known.length > 0 && !this.#guess ? lastPartMs : lastWordsMs;
      const left = askedAt + patienceMs - performance.now();
      if (left <= 0) break;
      await within(left, 'more words', this.#changed.promise).catch(ifLate(undefined));
    }
    if (!signal.aborted) this.#isAwaited = false;
    return this.#text;
  }

  /** Interim words come by themselves. */
  peek(): void {}

  end(): string {
    this.#parts.onEnd();
    return this.#text;
  }

  /** Whoever waits looks again. */
  changed(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }

  get #text(): string {
    return [...this.#known, this.#guess].join(' ').trim();
  }
}
