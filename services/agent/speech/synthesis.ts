import { randomUUID } from 'node:crypto';
import { type APIConnectOptions, tts } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { AudioResampler } from '@livekit/rtc-node';
import { TooLate, within } from '../../process/within.ts';
import { mayPass, SpeechFailure, toSpeechFailure } from './failure.ts';
import { firstSound } from './first-sound.ts';
import { InOrder } from './in-order.ts';
import type { LinesOfVoice } from './kept-lines.ts';
import { Sentences } from './sentences.ts';
import { spokenForm } from './spoken-form.ts';
import type { Voice } from './voice.ts';

/** How long a voice may take to the first sound of a sentence, and between two pieces of sound. */
const stallMs = 6_000;
/** The same to the first sound where another voice is there to take its place. */
const replacedAfterMs = 1_000;
/**
 * A connection may be half-open (livekit/agents#5718), and nobody is to hear nothing for 2 s: after so long without a first sound a provider is asked
 * on another connection beside those before. Voices of providers take 0.1 to 0.5 s.
 */
const askedAgainAfterMs = 500;
/** The same of a voice that is known to take less. */
const askedAgainSoonMs = 350;
/** With one connection in six half-open (npm run soak -- unkind) one sentence in 1 300 waits for longer. */
const mostTries = 4;
/** A voice that mostly takes longer to its first sound is given so much more than that. */
const slowTimes = 1.5;
/** So many sentences tell how long it mostly takes. */
const remembered = 5;

export interface SynthesisOptions {
  voices: readonly [Voice, ...Voice[]];
  language: string;
  /** What is said of a sentence, for words that voices say wrong. */
  pronounce?: (sentence: string) => string;
  /** Told of each failure that another voice, or a second try, is to mend. */
  onMended: (failure: SpeechFailure) => void;
  /** Sentences whose sound is there already. */
  lines?: LinesOfVoice;
  askedAgainAfterMs?: number;
  stallMs?: number;
}

/**
 * Text to speech by voices in order, sentence by sentence: a voice that fails is replaced for the sentence it failed at, which
 * is said again from its start, and rests for a while. An interruption ends the sentence that is being made at once.
 *
 * Why not the framework's FallbackAdapter (1.9.0): after the first sound it gives a reply up, so the person hears half a
 * sentence and then nothing; and a voice that failed is sent a test sentence every second, which its provider bills.
 */
export class SpokenInOrder extends tts.TTS {
  label = 'parley.SpokenInOrder';
  readonly #options: SynthesisOptions;
  readonly #voices: InOrder<Voice>;
  /** How long each took to its last first sounds, in milliseconds. */
  readonly #took = new Map<Voice, number[]>();

  constructor(options: SynthesisOptions) {
    super(options.voices[0].sampleRate, 1, { streaming: true });
    this.#options = options;
    this.#voices = new InOrder(options.voices);
  }

  override get model(): string {
    return this.#voices.first.model;
  }

  override get provider(): string {
    return this.#voices.first.provider;
  }

  pronounced(sentence: string): string {
    return this.#options.pronounce?.(sentence) ?? sentence;
  }

  /**
   * Makes the sound of a line ahead of time, and returns it: its sentences are heard at once then, whatever the voice is about. Nothing is made where
   * the voice is an engine of this machine.
   *
   * @throws SpeechFailure of the last voice asked
   */
  async prepare(line: string): Promise<readonly AudioFrame[] | undefined> {
    const { lines, language } = this.#options;
    if (!lines || !this.#voices.first.isAway) return undefined;
    const all: AudioFrame[] = [];
    const sentences = new Sentences(language);
    for (const sentence of [...sentences.push(line), ...sentences.end()]) {
      const said = this.pronounced(await spokenForm(sentence)).trim();
      if (isSpeakable(said)) all.push(...(await this.#kept(said, lines)));
    }
    return all.length > 0 ? all : undefined;
  }

  async #kept(sentence: string, lines: LinesOfVoice): Promise<readonly AudioFrame[]> {
    const sound: AudioFrame[] = [];
    for await (const frame of this.speak(sentence, new AbortController().signal)) sound.push(frame);
    lines.keep(sentence, sound);
    return sound;
  }

  /**
   * One sentence, by the first voice that manages.
   *
   * @throws SpeechFailure of the last voice asked
   */
  async *speak(sentence: string, signal: AbortSignal): AsyncGenerator<AudioFrame> {
    const kept = this.#options.lines?.soundOf(sentence.trim());
    if (kept) return yield* kept;
    let last: SpeechFailure | undefined;
    const attempts = this.#voices.attempts();
    for (const [tried, voice] of attempts.entries()) {
      if (last && voice.provider === last.provider && !mayPass(last)) break;
      if (last) this.#options.onMended(last);
      try {
        const other = attempts[tried + 1] ?? voice;
        const firstMs = other === voice ? this.#stallMs : Math.min(this.#stallMs, replacedAfterMs);
        yield* this.#sound(voice, sentence, { signal, firstMs });
        return this.#voices.succeeded(voice);
      } catch (error) {
        if (signal.aborted) return;
        last = toSpeechFailure(error, { part: 'synthesis', provider: voice.provider });
        this.#voices.failed(voice);
      }
    }
    if (last) throw last;
  }

  async *#sound(
    voice: Voice,
    sentence: string,
    { signal, firstMs }: { signal: AbortSignal; firstMs: number },
  ): AsyncGenerator<AudioFrame> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const resampler =
      voice.sampleRate === this.sampleRate ? undefined : new AudioResampler(voice.sampleRate, this.sampleRate, 1);
    let sounds = 0;
    try {
      const sound = this.#askedAgain(voice, sentence.trim(), either);
      for await (const frame of withoutStall(sound, voice, { firstMs, nextMs: this.#stallMs })) {
        sounds += 1;
        if (resampler) yield* resampler.push(frame);
        else yield frame;
      }
      if (resampler) yield* resampler.flush();
    } finally {
      stop.abort();
      resampler?.close();
    }
    if (sounds === 0 && !signal.aborted) throw new Error(`${voice.provider} made no sound of a sentence.`);
  }

  #askedAgain(voice: Voice, sentence: string, signal: AbortSignal): AsyncIterable<AudioFrame> {
    // An engine of this machine does not hang on its way, and has no time to lose.
    if (!voice.isAway) return voice.speak(sentence, signal);
    const took = this.#took.get(voice) ?? [];
    const soonMs = took.length < remembered ? askedAgainAfterMs : askedAgainSoonMs;
    const usualMs = this.#options.askedAgainAfterMs ?? soonMs;
    return firstSound((either) => voice.speak(sentence, either), {
      ...{ signal, everyMs: Math.max(usualMs, slowTimes * medianOf(took)), mostTries },
      onFirst: (ms) => this.#took.set(voice, [...took, ms].slice(-remembered)),
    });
  }

  get #stallMs(): number {
    return this.#options.stallMs ?? stallMs;
  }

  stream({ connOptions }: { connOptions?: APIConnectOptions } = {}): tts.SynthesizeStream {
    return new SpokenStream(this, this.#options.language, connOptions);
  }

  synthesize(text: string, connOptions?: APIConnectOptions, signal?: AbortSignal): tts.ChunkedStream {
    return new SpokenText(text, this, connOptions, signal);
  }

  override async close(): Promise<void> {
    await Promise.all(this.#options.voices.map((voice) => voice.close()));
  }
}

const medianOf = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

async function* withoutStall(
  made: AsyncIterable<AudioFrame>,
  voice: Voice,
  { firstMs, nextMs }: { firstMs: number; nextMs: number },
): AsyncGenerator<AudioFrame> {
  const sound = made[Symbol.asyncIterator]();
  for (let timeoutMs = firstMs; ; timeoutMs = nextMs) {
    const next = await within(timeoutMs, 'sound', sound.next()).catch((error: unknown) => {
      throw error instanceof TooLate ? stalled(voice, timeoutMs) : error;
    });
    if (next.done) return;
    yield next.value;
  }
}

function stalled({ provider }: Voice, timeoutMs: number): SpeechFailure {
  const message = `${provider} sent no sound for ${timeoutMs / 1_000} s.`;
  return new SpeechFailure({ part: 'synthesis', provider, kind: 'stalled', message });
}

/** Never more than once here: `SpokenInOrder.speak` has tried all there is. */
const noRetries = (options?: APIConnectOptions): APIConnectOptions => ({
  retryIntervalMs: 0,
  timeoutMs: 0,
  ...options,
  maxRetry: 0,
});

class SpokenStream extends tts.SynthesizeStream {
  label = 'parley.SpokenStream';
  readonly #voices: SpokenInOrder;
  readonly #language: string;

  constructor(voices: SpokenInOrder, language: string, connOptions?: APIConnectOptions) {
    super(voices, noRetries(connOptions));
    this.#voices = voices;
    this.#language = language;
  }

  /** @throws SpeechFailure */
  protected async run(): Promise<void> {
    const id = randomUUID();
    const sentences = new Sentences(this.#language);
    for await (const text of this.input) {
      if (this.abortController.signal.aborted) return;
      const complete = typeof text === 'string' ? sentences.push(text) : sentences.end();
      for (const sentence of complete) await this.#say(sentence, id);
    }
    for (const sentence of sentences.end()) await this.#say(sentence, id);
    if (!this.queue.closed) this.queue.put(tts.SynthesizeStream.END_OF_STREAM);
  }

  async #say(sentence: string, id: string): Promise<void> {
    const { signal } = this.abortController;
    const said = this.#voices.pronounced(await spokenForm(sentence));
    if (!isSpeakable(said) || signal.aborted) return;
    this.markStarted();
    let begins: { deltaText?: string } = { deltaText: sentence };
    for await (const frame of this.#voices.speak(said, signal)) {
      if (signal.aborted || this.queue.closed) return;
      this.queue.put({ requestId: id, segmentId: id, frame, final: false, ...begins });
      begins = {};
    }
  }
}

class SpokenText extends tts.ChunkedStream {
  label = 'parley.SpokenText';
  readonly #voices: SpokenInOrder;

  constructor(text: string, voices: SpokenInOrder, connOptions?: APIConnectOptions, signal?: AbortSignal) {
    super(text, voices, noRetries(connOptions), signal);
    this.#voices = voices;
  }

  /** @throws SpeechFailure */
  protected async run(): Promise<void> {
    const id = randomUUID();
    const { signal } = this.abortController;
    for await (const frame of this.#voices.speak(this.#voices.pronounced(await spokenForm(this.inputText)), signal)) {
      if (signal.aborted || this.queue.closed) return;
      this.queue.put({ requestId: id, segmentId: id, frame, final: false });
    }
  }
}

/** A dash or an ellipsis alone makes no sound, which would look like a failure. */
const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
