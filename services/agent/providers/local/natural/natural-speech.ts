import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import {
  piperVoicesOf,
  type SpeechModel,
  serves,
  speechModels,
  warmedModels,
} from '../../../../agent-files/definition/speech-models.ts';
import { bestEffort } from '../../../../process/best-effort.ts';
import type { Logger } from '../../../../process/logger.ts';
import { sleep } from '../../../../process/sleep.ts';
import { SpeechFailure } from '../../../speech/failure.ts';
import { EngineProgram, type Heard, recogniserSampleRate } from '../engine-program.ts';
import { FairQueue } from './fair-queue.ts';
import { Fetched } from './fetched.ts';
import { WorkedShare } from './worked-share.ts';

/** Conversations need the other cores. Whisper needs less than half a second of one for a sentence; a voice is waited for at its first sound. */
const threadsOf = { recognition: 1, synthesis: 2 } as const;
/** Utterances or clauses that wait, of one conversation and of all; more than these would be answered too late to be of use. */
const bounds = { mostEach: 3, mostOverall: 24 };
const lookEveryMs = 2_000;
/** Of the engine's time, for words of people who still speak. */
const shareOfInterims = 0.4;
/** At load 25 a voice was heard only 19 s after it was first asked for, most of it loading. */
const warmWithinMs = 60_000;
const mostWarmUps = 3;
/** More than an engine that has died rests (engine-program.ts). */
const pauseOfWarmUpsMs = 3_000;
/** A second of hiss: loud enough that Whisper's encoder works, and no word. */
const hiss = Int16Array.from({ length: recogniserSampleRate }, (_, at) => 1_500 * Math.sin(at * at));
const aWord = 'həlˈoʊ';

export interface Dictated {
  language: string;
  /** Names and words to expect. */
  hints: readonly string[];
  samples: Int16Array;
}

/** Free dictation in one language; conversations take turns. */
export interface Dictation {
  /** The model's name. */
  model: string;
  /** @throws SpeechFailure */
  hear(who: object, dictated: Dictated): Promise<Heard>;
  /** Words so far; empty where nobody has the time to look. @throws SpeechFailure */
  glimpse(who: object, dictated: Dictated): Promise<Heard>;
}

export interface SpokenClause {
  /** The folder of the voice. */
  folder: string;
  /** What espeak-ng makes of the words, in the phonetic alphabet. */
  phonemes: string;
  speed: number;
}

export interface ClauseSound {
  /** 16-bit mono. */
  samples: Uint8Array;
  sampleRate: number;
}

/**
 * Whisper and Piper's voices on this machine, each in a process of its own that serves every conversation of this host. They start
 * when they are first needed, and what was fetched while the host runs is there for the next conversation.
 */
export class NaturalSpeech {
  readonly #fetched: Fetched;
  readonly #logger: Logger;
  readonly #programs = new Map<string, EngineProgram>();
  readonly #hearing = new FairQueue(bounds);
  readonly #speaking = new FairQueue(bounds);
  readonly #worked = { recognition: new WorkedShare(), synthesis: new WorkedShare() };
  readonly #warm = new Set<string>();
  readonly #answerWithinMs: number | undefined;
  #warming: Promise<void> = Promise.resolve();
  #isClosed = false;
  #noGlimpseUntil = 0;

  /** `answerWithinMs`: an engine that has not answered by then has hung, and is started anew; 10 s unless told otherwise. */
  constructor(file: string | undefined, logger: Logger, { answerWithinMs }: { answerWithinMs?: number } = {}) {
    this.#fetched = new Fetched(file);
    this.#logger = logger;
    this.#answerWithinMs = answerWithinMs;
  }

  /** Languages in which whatever is said is recognised, now. */
  languages(): readonly string[] {
    return [...new Set(this.#recognisers().flatMap(({ languages }) => languages))];
  }

  /** Of the busier engine, the share of the last half a minute in which it worked for somebody; words so far do not count: they are left away. */
  get load(): number {
    return Math.max(this.#worked.recognition.share, this.#worked.synthesis.share);
  }

  /** Names of the models that have worked once in this process. */
  get warm(): readonly string[] {
    return [...this.#warm];
  }

  /**
   * Starts the engines and has each fetched model work once, one after the other: nobody's first word waits for programs and weights to
   * load. Never rejects: what fails three times is logged, and loaded by the first who needs it.
   */
  warmUp(): Promise<void> {
    this.#warming = this.#warming.then(() => this.#warmUp());
    return this.#warming;
  }

  async #warmUp(): Promise<void> {
    const { models } = this.#fetched.now();
    for (const model of warmedModels(Object.keys(models))) {
      const folder = models[model.name];
      if (folder && !this.#warm.has(model.name)) await this.#warmModel(model, folder);
    }
  }

  async #warmModel({ name, engine }: SpeechModel, folder: string): Promise<void> {
    const recognised = () => this.#recognise(folder, { language: 'en', hints: [], samples: hiss }, {}, warmWithinMs);
    const said = () => this.#say({ folder, phonemes: aWord, speed: 1 }, warmWithinMs);
    const work = async () => {
      if (engine === 'whisper') await inTurn('recognition', this.#hearing, this, recognised);
      else await inTurn('synthesis', this.#speaking, this, said);
    };
    for (let time = 1; !this.#isClosed; time += 1) {
      try {
        await work();
        this.#warm.add(name);
        return;
      } catch (error) {
        if (this.#isClosed) return;
        if (time === mostWarmUps) {
          this.#logger.warn(
            { err: error, model: name },
            'a model of speech could not be tried; the first who needs it waits',
          );
          return;
        }
        await sleep(pauseOfWarmUpsMs);
      }
    }
  }

  /** Calls when models have come or gone since it was last called. */
  watch(onChange: () => Promise<void>): { stop(): void } {
    const names = () => Object.keys(this.#fetched.now().models).join();
    let known = names();
    const look = async () => {
      const now = names();
      if (now === known) return;
      await onChange();
      known = now;
    };
    const timer = setInterval(
      () => void bestEffort('the database may be away: the next look tells it', look()),
      lookEveryMs,
    );
    timer.unref();
    return { stop: () => clearInterval(timer) };
  }

  dictation(language: string): Dictation | undefined {
    const model = this.#recognisers().findLast((one) => serves(one, language));
    const folder = model && this.#fetched.now().models[model.name];
    if (!model || !folder) return undefined;
    const ask = (dictated: Dictated, more: object) => this.#recognise(folder, dictated, more);
    return {
      model: model.name,
      hear: (who, dictated) => {
        const work = () => this.#worked.recognition.during(() => ask(dictated, {}));
        return inTurn('recognition', this.#hearing, who, work);
      },
      glimpse: async (who, dictated) => {
        if (!this.#hearing.isIdle || performance.now() < this.#noGlimpseUntil) return nothing;
        const began = performance.now();
        return inTurn('recognition', this.#hearing, who, () => ask(dictated, { quick: true })).finally(() => {
          const now = performance.now();
          this.#noGlimpseUntil = now + (now - began) * (1 / shareOfInterims - 1);
        });
      },
    };
  }

  /** The folder of a voice that was fetched: the named one, or one of the language. */
  voice({
    language,
    name,
  }: {
    language: string;
    name: string | undefined;
  }): { name: string; folder: string } | undefined {
    const { models } = this.#fetched.now();
    const names = name === undefined ? piperVoicesOf(language).map((voice) => voice.name) : [name];
    for (const one of names) if (models[one]) return { name: one, folder: models[one] };
    return undefined;
  }

  /** @throws SpeechFailure */
  async say(who: object, clause: SpokenClause, signal: AbortSignal): Promise<ClauseSound> {
    const work = () => this.#worked.synthesis.during(() => this.#say(clause));
    return inTurn('synthesis', this.#speaking, who, work, signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#programs.values()].map((program) => program.close()));
  }

  #recognisers(): readonly SpeechModel[] {
    const { models } = this.#fetched.now();
    return speechModels.filter(({ engine, name }) => engine === 'whisper' && models[name]);
  }

  async #say(clause: SpokenClause, withinMs = this.#answerWithinMs): Promise<ClauseSound> {
    const program = this.#program('piper_speaker.py', [], 'synthesis');
    const { audio = '', sampleRate = 0 } = await program.ask({ ...clause }, withinMs);
    return { samples: Buffer.from(audio, 'base64'), sampleRate };
  }

  async #recognise(
    folder: string,
    { language, hints, samples }: Dictated,
    more: object,
    withinMs = this.#answerWithinMs,
  ): Promise<Heard> {
    const program = this.#program('whisper_recogniser.py', [folder], 'recognition');
    const { buffer, byteOffset, byteLength } = samples;
    const audio = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
    const request = { language, keywords: hints, sampleRate: recogniserSampleRate, audio, ...more };
    const { text = '', confidence = 0 } = await program.ask(request, withinMs);
    return { text, confidence };
  }

  #program(script: string, args: readonly string[], part: 'recognition' | 'synthesis'): EngineProgram {
    const { python } = this.#fetched.now();
    const threads = Math.min(threadsOf[part], availableParallelism());
    const command = [python, join(import.meta.dirname, script), ...args, `${threads}`] as const;
    const key = command.join('\n');
    const known = this.#programs.get(key) ?? new EngineProgram([...command], this.#logger, part);
    this.#programs.set(key, known);
    return known;
  }
}

const nothing: Heard = { text: '', confidence: 0 };

/** @throws SpeechFailure */
async function inTurn<Value>(
  part: 'recognition' | 'synthesis',
  queue: FairQueue,
  who: object,
  work: () => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  try {
    return await queue.run(who, work, signal);
  } catch (error) {
    if (error instanceof SpeechFailure) throw error;
    const message = `This machine has more to do for ${part} than it can: ${(error as Error).message}.`;
    throw new SpeechFailure({ part, provider: 'local', kind: 'unavailable', message, cause: error });
  }
}
