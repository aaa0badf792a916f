import { stt } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { ifLate, unlessAborted, within } from '../../../process/within.ts';

/** How long a recogniser that works while it hears may take for its last words once the person is silent: time for another to take its place. */
const lastWordsMs = 3_000;
/** How long one that is given a whole utterance may take for it. */
const wholeMs = 8_000;

export interface RecognitionEvents {
  /** What is known so far of the utterance that is being heard. */
  onWords(text: string): void;
  onFailure(error: unknown): void;
}

/** What makes words of one person's speech. */
export interface Recognition {
  /** Everything that is heard, silence too. */
  hear(frame: AudioFrame): void;
  /** An utterance begins. */
  begin(): void;
  /** Its words so far, empty when there are none. `sound` is all of it. Never rejects: what fails is told. */
  words(sound: AudioFrame, signal: AbortSignal): Promise<string>;
  close(): void;
}

export function openRecognition(recogniser: stt.STT, events: RecognitionEvents): Recognition {
  return recogniser.capabilities.streaming
    ? new StreamRecognition(recogniser, events)
    : wholeRecognition(recogniser, events);
}

/** Utterance by utterance: each is recognised in every pause, so that at its end the words are known already. */
function wholeRecognition(recogniser: stt.STT, { onWords, onFailure }: RecognitionEvents): Recognition {
  return {
    hear: () => undefined,
    begin: () => undefined,
    words: async (sound, signal) => {
      try {
        const recognised = await within(wholeMs, 'recognition', (late) => {
          const given = AbortSignal.any([signal, late]);
          return unlessAborted(given, recogniser.recognize(sound, given));
        });
        const text = textOf(recognised);
        if (text) onWords(text);
        return text;
      } catch (error) {
        if (!signal.aborted) onFailure(error);
        return '';
      }
    },
    close: () => undefined,
  };
}

/** While the person speaks; a stream that breaks (its recogniser tells why) is opened again with the next utterance. */
class StreamRecognition implements Recognition {
  readonly #recogniser: stt.STT;
  readonly #events: RecognitionEvents;
  #stream: stt.SpeechStream | undefined;
  #known: string[] = [];
  #guess = '';
  #changed = Promise.withResolvers<void>();
  #closed = false;

  constructor(recogniser: stt.STT, events: RecognitionEvents) {
    this.#recogniser = recogniser;
    this.#events = events;
    this.#open();
  }

  hear(frame: AudioFrame): void {
    try {
      this.#stream?.pushFrame(frame);
    } catch {
      // It ended in this very moment; its reader opens another.
    }
  }

  begin(): void {
    this.#known = [];
    this.#guess = '';
    if (!this.#stream && !this.#closed) this.#open();
  }

  async words(_sound: AudioFrame, signal: AbortSignal): Promise<string> {
    const deadline = performance.now() + lastWordsMs;
    this.#stream?.flush();
    while ((this.#guess || this.#known.length === 0) && this.#stream && !signal.aborted) {
      const left = deadline - performance.now();
      if (left <= 0) break;
      await within(left, 'more words', this.#changed.promise).catch(ifLate(undefined));
    }
    return this.#text;
  }

  close(): void {
    this.#closed = true;
    this.#stream?.close();
    this.#stream = undefined;
    this.#changed.resolve();
  }

  get #text(): string {
    return [...this.#known, this.#guess].join(' ').trim();
  }

  #open(): void {
    const stream = this.#recogniser.stream();
    this.#stream = stream;
    void this.#read(stream);
  }

  async #read(stream: stt.SpeechStream): Promise<void> {
    for await (const event of stream) this.#heard(event);
    if (this.#stream === stream) this.#stream = undefined;
    this.#tell();
  }

  #heard(event: stt.SpeechEvent): void {
    const text = textOf(event);
    switch (event.type) {
      case stt.SpeechEventType.INTERIM_TRANSCRIPT:
        this.#guess = text;
        break;
      case stt.SpeechEventType.FINAL_TRANSCRIPT:
        if (text) this.#known.push(text);
        this.#guess = '';
        break;
      default:
        return;
    }
    if (this.#text) this.#events.onWords(this.#text);
    this.#tell();
  }

  #tell(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

const textOf = (event: stt.SpeechEvent) => event.alternatives?.[0]?.text.trim() ?? '';
