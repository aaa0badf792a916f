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
    let heard: Part[] = [];
    let heardSeconds = 0;
    for await (const input of this.input) {
      if (this.closed) return;
      if (typeof input !== 'symbol') {
        const part = partOf(input);
        heard.push(part);
        heardSeconds += part.seconds;
        while (heardSeconds > mostSeconds) heardSeconds -= heard.shift()?.seconds ?? heardSeconds;
      } else if (heard.length > 0) {
        const event = await this.#recognise(fromTheWords(heard));
        heard = [];
        heardSeconds = 0;
        if (!this.queue.closed) this.queue.put(event);
      }
    }
  }

  async #recognise(sound: AudioFrame[]): Promise<stt.SpeechEvent> {
    try {
      return await this.#engine.recognize(sound);
    } catch (error) {
      throw toSpeechFailure(error, { part: 'recognition', provider: this.#provider });
    }
  }
}

/** A frame and what is known of it as soon as it is heard: at the end of an utterance the person waits. */
interface Part {
  frame: AudioFrame;
  seconds: number;
  /** Root mean square of its samples. */
  level: number;
}

const partOf = (frame: AudioFrame): Part => ({
  frame,
  seconds: frame.samplesPerChannel / frame.sampleRate,
  level: Math.sqrt(frame.data.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, frame.data.length)),
});

/** Without the silence before it: what came since the last utterance is mostly that. */
function fromTheWords(heard: readonly Part[]): AudioFrame[] {
  const loudest = heard.reduce((most, { level }) => Math.max(most, level), 0);
  let from = heard.findIndex(({ level }) => level >= silentPart * loudest);
  for (let lead = 0; from > 0 && lead < leadSeconds; from -= 1) lead += heard[from - 1]?.seconds ?? leadSeconds;
  return heard.slice(from).map(({ frame }) => frame);
}
