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
/**
 * After a final that does not say that it is the last, so long another is waited for: servers split one utterance in two
 * (livekit/agents#5505), the second following by about 0.1 s, and networks and busy machines by as much again: at 150 ms one sentence became
 * two messages, and each had an answer of its own. Nobody waits where the end is marked (`END_OF_SPEECH`: Deepgram's `speech_final` and
 * `UtteranceEnd`, Cartesia's `turn.end`, one answer to the flush), and mostly the silence that ends a turn is longer. A recogniser that has
 * marked an end before is given `lastPartMs` to mark this one.
 */
const moreFinalsMs = 300;

/** Our own streams are told what the person does (speech/recognition.ts). */
interface Hearing extends stt.SpeechStream {
  /** No answer is owed to the flush of the pause after which the person goes on. */
  goOn?(): void;
  /** What is guessed from now on is no answer to the flushes before. */
  begin?(): void;
}

/** Recognition while the person speaks; a stream that breaks (its recogniser tells why) is opened again with the next utterance. */
export class StreamRecognition implements Recognition {
  readonly #recogniser: stt.STT;
  readonly #events: RecognitionEvents;
  #stream: Hearing | undefined;
  /** Utterances that are not told yet, the last of them being heard. */
  #open: StreamedUtterance[] = [];
  /** It has said of an utterance that nothing follows. */
  #marksEnds = false;
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
    this.#stream?.begin?.();
    const utterance = new StreamedUtterance({
      isListening: () => this.#stream !== undefined,
      marksEnds: () => this.#marksEnds,
      flush: () => this.#stream?.flush(),
      goOn: () => this.#stream?.goOn?.(),
      onWords: (text) => {
        // Those of an earlier one are told with all of it.
        if (utterance === this.#open.at(-1)) this.#events.onWords(text);
      },
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
    if (event.type === stt.SpeechEventType.END_OF_SPEECH) {
      this.#marksEnds = true;
      return this.#answering?.markEnd();
    }
    const isFinal = event.type === stt.SpeechEventType.FINAL_TRANSCRIPT;
    if (!isFinal && event.type !== stt.SpeechEventType.INTERIM_TRANSCRIPT) return;
    const text = event.alternatives?.[0]?.text.trim() ?? '';
    if (!isFinal) return this.#open.at(-1)?.guess(text);
    const utterance = this.#answering;
    for (const other of this.#open) if (other !== utterance) other.dropGuessOf(text);
    if (utterance) utterance.take(text);
    else if (text) this.#events.onLateWords(text);
  }

  /**
   * Whose final this is: the first that waits for an answer has it; else these are words of the one that is being heard. Guesses follow the sound
   * within a moment and are always of the latter: the beginning of an utterance is no answer to the one before.
   */
  get #answering(): StreamedUtterance | undefined {
    return this.#open.find(({ isAwaited }) => isAwaited) ?? this.#open.at(-1);
  }
}

interface StreamedUtteranceParts {
  isListening(): boolean;
  marksEnds(): boolean;
  flush(): void;
  goOn(): void;
  onWords(text: string): void;
  onEnd(): void;
}

class StreamedUtterance implements HeardUtterance {
  readonly #parts: StreamedUtteranceParts;
  readonly #known: string[] = [];
  #guess = '';
  #isAwaited = false;
  /** It is over, and a further final may come. */
  #isSettling = false;
  /** Nothing follows what is known. */
  #isMarked = false;
  #lastWordsAt = 0;
  #changed = Promise.withResolvers<void>();

  constructor(parts: StreamedUtteranceParts) {
    this.#parts = parts;
  }

  /** Its sound is over, and the recogniser has not answered, or may have more to say. */
  get isAwaited(): boolean {
    return this.#isAwaited || this.#isSettling;
  }

  /** Words that cannot change any more; none: it was a sound without words. */
  take(text: string): void {
    if (text) this.#known.push(text);
    this.#isAwaited = false;
    this.guess('');
  }

  /** What is being said, as far as it is understood; none: what was guessed is taken back. */
  guess(text: string): void {
    this.#guess = text;
    this.#isMarked = false;
    this.#lastWordsAt = performance.now();
    if (this.#text) this.#parts.onWords(this.#text);
    this.changed();
  }

  /** What was guessed was the end of the utterance before, which is known now. */
  dropGuessOf(text: string): void {
    if (this.#guess && text.endsWith(this.#guess)) this.#guess = '';
  }

  markEnd(): void {
    this.#isMarked = true;
    this.changed();
  }

  async words(_sound: AudioFrame, signal: AbortSignal): Promise<string> {
    const askedAt = performance.now();
    this.#isAwaited = true;
    this.#parts.flush();
    signal.addEventListener('abort', () => this.#parts.goOn(), { once: true });
    while ((this.#isAwaited || this.#guess) && this.#parts.isListening() && !signal.aborted) {
      const patienceMs = this.#known.length > 0 && !this.#guess ? lastPartMs : lastWordsMs;
      const left = askedAt + patienceMs - performance.now();
      if (left <= 0) break;
      await within(left, 'more words', this.#changed.promise).catch(ifLate(undefined));
    }
    if (!signal.aborted) this.#isAwaited = false;
    return this.#text;
  }

  async settled(): Promise<void> {
    const latest = performance.now() + lastWordsMs;
    this.#isSettling = true;
    for (;;) {
      const left = Math.min(this.#opensUntil, latest) - performance.now();
      if (left <= 0 || !this.#parts.isListening()) break;
      await within(left, 'more words', this.#changed.promise).catch(ifLate(undefined));
    }
    this.#isSettling = false;
  }

  /** A guess that came after a final is the beginning of another. */
  get #opensUntil(): number {
    if (this.#isMarked || this.#known.length === 0) return 0;
    return this.#lastWordsAt + (this.#guess || this.#parts.marksEnds() ? lastPartMs : moreFinalsMs);
  }

  /** Interim words come by themselves. */
  grows(): void {}

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
