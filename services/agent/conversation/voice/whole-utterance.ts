import type { stt } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { unlessAborted, within } from '../../../process/within.ts';
import type { HeardUtterance, RecognitionEvents } from './recognition.ts';

/** How long a recogniser that is given a whole utterance may take for it. */
const wholeMs = 8_000;

/** Recognised as a whole in every pause, so that at its end the words are known already. */
export class WholeUtterance implements HeardUtterance {
  readonly #recogniser: stt.STT;
  readonly #events: RecognitionEvents;
  #text = '';

  constructor(recogniser: stt.STT, events: RecognitionEvents) {
    this.#recogniser = recogniser;
    this.#events = events;
  }

  async words(sound: AudioFrame, signal: AbortSignal): Promise<string> {
    this.#text = '';
    const { onWords, onFailure } = this.#events;
    try {
      const recognised = await within(wholeMs, 'recognition', (late) => {
        const given = AbortSignal.any([signal, late]);
        return unlessAborted(given, this.#recogniser.recognize(sound, given));
      });
      this.#text = recognised.alternatives?.[0]?.text.trim() ?? '';
      if (this.#text) onWords(this.#text);
    } catch (error) {
      if (!signal.aborted) onFailure(error);
    }
    return this.#text;
  }

  peek(sound: AudioFrame, signal: AbortSignal): void {
    void this.words(sound, signal);
  }

  end(): string {
    return this.#text;
  }
}
