import { bestEffort } from '../../../process/best-effort.ts';
import type { SpokenPiece, VoiceStream } from './synthesis.ts';

/** The person spoke over it: nobody reads the sound any more. */
const cut = 'the sound may have been cut';

type SayLine = (line: string, into: ModelSound) => Promise<void>;

/** Sound that the model makes by itself, as a voice: of an answer, whose words it tells, or of a line that it is given to say. */
export class ModelSound implements VoiceStream {
  readonly #pieces = new TransformStream<SpokenPiece, SpokenPiece>(undefined, undefined, { highWaterMark: 1_000_000 });
  readonly #writer = this.#pieces.writable.getWriter();
  #sayLine: SayLine | undefined;
  #line = '';
  #ended = false;

  static ofLine(sayLine: SayLine): ModelSound {
    const sound = new ModelSound();
    sound.#sayLine = sayLine;
    return sound;
  }

  push(samples: Int16Array): void {
    if (!this.#ended || this.#sayLine) void bestEffort(cut, this.#writer.write({ samples }));
  }

  say(text: string): void {
    this.#line += text;
  }

  sayNow(): void {}

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const said = this.#sayLine?.(this.#line.trim(), this) ?? Promise.resolve();
    said.then(
      () => bestEffort(cut, this.#writer.close()),
      (error: unknown) => bestEffort(cut, this.#writer.abort(error)),
    );
  }

  stop(): void {
    this.#ended = true;
    this.#sayLine = undefined;
    void bestEffort(cut, this.#writer.close());
  }

  [Symbol.asyncIterator](): AsyncIterator<SpokenPiece> {
    return this.#pieces.readable[Symbol.asyncIterator]() as AsyncIterator<SpokenPiece>;
  }
}
