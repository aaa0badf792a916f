import type { stt } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { bestEffort } from '../../../process/best-effort.ts';
import { unlessAborted, within } from '../../../process/within.ts';
import type { HeardUtterance, RecognitionEvents } from './recognition.ts';

/** One that also tells words of an utterance that goes on: `LocalSTT` and `HeardInOrder`. */
export type WholeRecogniser = stt.STT & { glimpse?(sound: AudioFrame): Promise<string> };

/** Sound until there is a word to be found, and new sound until another look is worth it. */
const newSoundMs = 800;
/** How long a recogniser that is given a whole utterance may take for it. */
const wholeMs = 8_000;

/** Recognised as a whole in every pause, so that at its end the words are known already. */
export class WholeUtterance implements HeardUtterance {
  readonly #recogniser: WholeRecogniser;
  readonly #events: RecognitionEvents;
  #text = '';
  #isAsked = false;
  #isLooking = false;
  #lookedAtMs = 0;

  constructor(recogniser: WholeRecogniser, events: RecognitionEvents) {
    this.#recogniser = recogniser;
    this.#events = events;
  }

  async words(sound: AudioFrame, signal: AbortSignal): Promise<string> {
    this.#text = '';
    this.#isAsked = true;
    const { onWords, onFailure } = this.#events;
    try {
      this.#text = await this.#recognise(sound, signal);
      if (this.#text) onWords(this.#text);
    } catch (error) {
      if (!signal.aborted) onFailure(error);
    }
    return this.#text;
  }

  grows(soundMs: number, sound: () => AudioFrame): void {
    if (this.#isLooking || soundMs < this.#lookedAtMs + newSoundMs) return;
    this.#lookedAtMs = soundMs;
    void bestEffort('the pause asks again, and tells what fails', this.#look(sound()));
  }

  /** Words of it are told unless the pause was quicker. */
  async #look(sound: AudioFrame): Promise<void> {
    this.#isLooking = true;
    this.#isAsked = false;
    try {
      const text = (await this.#recogniser.glimpse?.(sound)) ?? '';
      if (text && !this.#isAsked) this.#events.onWords(text);
    } finally {
      this.#isLooking = false;
    }
  }

  /** A look at the beginning, worth nothing once a pause was recognised. */
  peek(sound: AudioFrame, signal: AbortSignal): void {
    const tell = (text: string) => {
      if (text && !this.#isAsked) this.#events.onWords(text);
    };
    void bestEffort('the pause asks again, and tells what fails', this.#recognise(sound, signal).then(tell));
  }

  /** One answer is all. */
  async settled(): Promise<void> {}

  end(): string {
    return this.#text;
  }

  async #recognise(sound: AudioFrame, signal: AbortSignal): Promise<string> {
    const recognised = await within(wholeMs, 'recognition', (late) => {
      const given = AbortSignal.any([signal, late]);
      return unlessAborted(given, this.#recogniser.recognize(sound, given));
    });
    return recognised.alternatives?.[0]?.text.trim() ?? '';
  }
}
