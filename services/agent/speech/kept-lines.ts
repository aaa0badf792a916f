import type { AudioFrame } from '@livekit/rtc-node';

/** Lines are sentences; what is longer is made when it is wanted. At 24 kHz this is 0.5 MB. */
const longestMs = 10_000;
/** Of all agents, voices and languages of a process: 20 MB at most. */
const mostLines = 40;

/** The sound of lines that agents say again and again, such as the filler, in the voices that say them. One for the process. */
export class KeptLines {
  readonly #sounds = new Map<string, readonly AudioFrame[]>();

  /** Those of one voice; `voice` names all that its sound depends on. */
  of(voice: string): LinesOfVoice {
    const keyOf = (sentence: string) => `${voice} ${sentence}`;
    return {
      soundOf: (sentence) => this.#sounds.get(keyOf(sentence)),
      keep: (sentence, sound) => this.#keep(keyOf(sentence), sound),
    };
  }

  #keep(key: string, sound: readonly AudioFrame[]): void {
    if (sound.reduce(addMs, 0) > longestMs) return;
    this.#sounds.delete(key);
    this.#sounds.set(key, sound);
    const [oldest] = this.#sounds.keys();
    if (this.#sounds.size > mostLines && oldest !== undefined) this.#sounds.delete(oldest);
  }
}

export interface LinesOfVoice {
  soundOf(sentence: string): readonly AudioFrame[] | undefined;
  keep(sentence: string, sound: readonly AudioFrame[]): void;
}

const addMs = (sum: number, { samplesPerChannel, sampleRate }: AudioFrame) =>
  sum + (1_000 * samplesPerChannel) / sampleRate;
