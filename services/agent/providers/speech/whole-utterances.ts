import { type APIConnectOptions, stt } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { toSpeechFailure } from './failure.ts';

/** A longer utterance is recognised by its end. */
const mostSeconds = 60;
/** So much softer than the loudest part is the silence before the words. */
const silentPart = 0.1;
/** Kept before the first loud part: a soft consonant. */
const leadSeconds = 0.4;

/**
 * A provider that takes whole utterances, where speech comes as a stream. Each flush ends one, and each is answered, with an empty
 * text when there was nothing to understand: silence is an answer and no failure.
 *
 * Why not the framework's StreamAdapter (1.9.0): a flush makes its voice detection forget the utterance.
 */
export class WholeUtterances extends stt.SpeechStream {
  label = 'parley.WholeUtterances';
  readonly #engine: stt.STT;
  readonly #provider: string;

  constructor(engine: stt.STT, provider: string, connOptions: APIConnectOptions) {
    super(engine, undefined, connOptions);
    this.#engine = engine;
    this.#provider = provider;
  }

  /** @throws SpeechFailure */
  protected async run(): Promise<void> {
    let sound: AudioFrame[] = [];
    for await (const input of this.input) {
      if (this.closed) return;
      if (typeof input !== 'symbol') {
        sound.push(input);
        while (seconds(sound) > mostSeconds) sound.shift();
      } else if (sound.length > 0) {
        const event = await this.#recognise(sound);
        sound = [];
        if (!this.queue.closed) this.queue.put(event);
      }
    }
  }

  async #recognise(sound: readonly AudioFrame[]): Promise<stt.SpeechEvent> {
    try {
      return await this.#engine.recognize(fromTheWords(sound));
    } catch (error) {
      throw toSpeechFailure(error, { part: 'recognition', provider: this.#provider });
    }
  }
}

/** Without the silence before it: what came since the last utterance is mostly that. */
function fromTheWords(sound: readonly AudioFrame[]): AudioFrame[] {
  const levels = sound.map(loudness);
  const first = levels.findIndex((level) => level >= silentPart * Math.max(...levels));
  let from = first;
  while (from > 0 && seconds(sound.slice(from, first)) < leadSeconds) from -= 1;
  return sound.slice(from);
}

const loudness = ({ data }: AudioFrame): number =>
  Math.sqrt(data.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, data.length));

const seconds = (sound: readonly AudioFrame[]): number =>
  sound.reduce((sum, { samplesPerChannel, sampleRate }) => sum + samplesPerChannel / sampleRate, 0);
