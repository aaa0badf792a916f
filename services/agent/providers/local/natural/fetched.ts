/** What natural speech there is on this machine, as `npm start` and `parley speech fetch` write it (scripts/toolchain/speech-models.ts). */
import { readFileSync, statSync } from 'node:fs';

export interface FetchedSpeech {
  /** A Python with what scripts/toolchain/python/speech.txt pins. */
  python: string;
  /** The folder of each model, by name. */
  models: Readonly<Record<string, string>>;
}

const nothing: FetchedSpeech = { python: '', models: {} };

/** The file is read again when it has changed: models may come while conversations go on. */
export class Fetched {
  readonly #file: string | undefined;
  #readAt = 0;
  #known = nothing;

  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** Nothing where there is no file, and where it is not one of ours. */
  now(): FetchedSpeech {
    if (this.#file === undefined) return nothing;
    try {
      const { mtimeMs } = statSync(this.#file);
      if (mtimeMs !== this.#readAt) this.#known = parsed(readFileSync(this.#file, 'utf8'));
      this.#readAt = mtimeMs;
    } catch {
      // Nothing was fetched yet.
      this.#known = nothing;
    }
    return this.#known;
  }
}

function parsed(text: string): FetchedSpeech {
  const { python, models } = JSON.parse(text) as Partial<FetchedSpeech>;
  return typeof python === 'string' && models ? { python, models } : nothing;
}
