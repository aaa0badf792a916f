import { randomUUID } from 'node:crypto';
import {
  type APIConnectOptions,
  inference,
  mergeFrames,
  normalizeLanguage,
  stt,
  type VADEvent,
  VADEventType,
} from '@livekit/agents';
import { AudioFrame } from '@livekit/rtc-node';
import { toSpeechFailure } from '../failure.ts';
import { type Heard, recogniserSampleRate } from './recogniser.ts';

/** Turns one utterance (16-bit mono samples at 16 kHz) into text; the text is empty when it was none of ours. */
export type HearUtterance = (samples: Int16Array) => Promise<Heard>;

export interface LocalHearing {
  hear: HearUtterance;
  /** Whether there is time for results that only tell what has been heard so far. */
  idle: () => boolean;
  language: string;
  /** Of the engine, for metrics. */
  model: string;
  /** Silence after which an utterance is over. */
  minSilenceMs: number;
}

/** How often the person's words so far are made out while they speak. */
const interimEveryMs = 400;
const longestUtteranceMs = 30_000;
/** Samples that voice detection looks at at once. */
const vadWindow = 512;

/** An engine of this machine as the framework's speech to text: voice detection cuts the utterances, the engine names them. */
export class LocalSTT extends stt.STT {
  label = 'parley.LocalSTT';
  readonly #hearing: LocalHearing;

  constructor(hearing: LocalHearing) {
    super({ streaming: true, interimResults: true, alignedTranscript: false });
    this.#hearing = hearing;
  }

  override get model(): string {
    return this.#hearing.model;
  }

  override get provider(): string {
    return 'local';
  }

  /** @throws SpeechFailure */
  protected async _recognize(buffer: AudioFrame | AudioFrame[]): Promise<stt.SpeechEvent> {
    const frame = mergeFrames(buffer);
    if (frame.sampleRate !== recogniserSampleRate) throw new Error(`Speech must come at ${recogniserSampleRate} Hz.`);
    const heard = await this.#hearing.hear(frame.data);
    return transcript(stt.SpeechEventType.FINAL_TRANSCRIPT, heard, this.#hearing.language);
  }

  stream({ connOptions }: { connOptions?: APIConnectOptions } = {}): stt.SpeechStream {
    return new LocalSpeechStream(this, this.#hearing, connOptions);
  }
}

const transcript = (type: stt.SpeechEventType, { text, confidence }: Heard, language: string): stt.SpeechEvent => ({
  type,
  requestId: randomUUID(),
  alternatives: [{ text, confidence, language: normalizeLanguage(language), startTime: 0, endTime: 0 }],
});

class LocalSpeechStream extends stt.SpeechStream {
  label = 'parley.LocalSpeechStream';
  readonly #hearing: LocalHearing;
  readonly #vad: ReturnType<inference.VAD['stream']>;
  /** The utterance that is being spoken; undefined in silence. */
  #frames: AudioFrame[] | undefined;
  #sinceInterimMs = 0;
  #interim: Promise<void> | undefined;
  #detectionClosed = false;
  /** Samples that voice detection was given. */
  #pushed = 0;
  /** The sample at which all has been heard; known once the input has ended. */
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(engine: LocalSTT, hearing: LocalHearing, connOptions?: APIConnectOptions) {
    super(engine, recogniserSampleRate, { retryIntervalMs: 0, timeoutMs: 0, ...connOptions, maxRetry: 0 });
    this.#hearing = hearing;
    this.#vad = new inference.VAD({
      minSilenceDuration: hearing.minSilenceMs,
      maxBufferedSpeech: longestUtteranceMs,
    }).stream();
  }

  /** @throws SpeechFailure */
  protected async run(): Promise<void> {
    try {
      await Promise.all([this.#listen(), this.#recognise()]);
    } catch (error) {
      throw toSpeechFailure(error, { part: 'recognition', provider: 'local' });
    } finally {
      this.#closeDetection();
    }
  }

  override close(): void {
    super.close();
    this.#closeDetection();
  }

  /** A second call would reject somewhere in the framework. */
  #closeDetection(): void {
    if (this.#detectionClosed) return;
    this.#detectionClosed = true;
    this.#vad.close();
  }

  async #listen(): Promise<void> {
    for await (const input of this.input) {
      if (this.#detectionClosed) return;
      if (typeof input === 'symbol') this.#vad.flush();
      else this.#detect(input);
    }
    if (this.#detectionClosed) return;
    // The framework's own `endInput` (1.9.0) always fails: its writer keeps the stream locked.
    const samples = Math.round(((this.#hearing.minSilenceMs + 100) * recogniserSampleRate) / 1_000);
    this.#detect(new AudioFrame(new Int16Array(samples), recogniserSampleRate, 1, samples));
    this.#endsAt = this.#pushed - vadWindow;
  }

  #detect(frame: AudioFrame): void {
    this.#pushed += frame.samplesPerChannel;
    this.#vad.pushFrame(frame);
  }

  async #recognise(): Promise<void> {
    for await (const event of this.#vad) {
      if (this.closed || this.queue.closed) return;
      if (event.type === VADEventType.START_OF_SPEECH) this.#started(event.frames);
      else if (event.type === VADEventType.INFERENCE_DONE) this.#goesOn(event.frames);
      else if (event.type === VADEventType.END_OF_SPEECH) await this.#ended(event);
      if (event.samplesIndex >= this.#endsAt) return;
    }
  }

  #started(frames: AudioFrame[]): void {
    this.#frames = [...frames];
    this.#sinceInterimMs = 0;
    this.#put({ type: stt.SpeechEventType.START_OF_SPEECH });
  }

  #goesOn(frames: AudioFrame[]): void {
    if (!this.#frames) return;
    this.#frames.push(...frames);
    this.#sinceInterimMs += durationMs(frames);
    if (this.#sinceInterimMs < interimEveryMs || this.#interim || !this.#hearing.idle()) return;
    this.#sinceInterimMs = 0;
    this.#interim = this.#tellInterim(this.#frames).finally(() => {
      this.#interim = undefined;
    });
  }

  /** Only a hint: what goes wrong with it is told when the utterance is over. */
  async #tellInterim(frames: AudioFrame[]): Promise<void> {
    const heard = await this.#hearing.hear(mergeFrames([...frames]).data).catch(() => undefined);
    if (!heard?.text || this.#frames !== frames) return;
    this.#put(transcript(stt.SpeechEventType.INTERIM_TRANSCRIPT, heard, this.#hearing.language));
  }

  async #ended({ frames, silenceDuration }: VADEvent): Promise<void> {
    this.#frames = undefined;
    const speechEndTime = Date.now() - silenceDuration;
    this.#put({ type: stt.SpeechEventType.END_OF_SPEECH, speechEndTime });
    const heard = await this.#hearing.hear(mergeFrames(frames).data);
    this.#put({
      type: stt.SpeechEventType.RECOGNITION_USAGE,
      requestId: randomUUID(),
      recognitionUsage: { audioDuration: durationMs(frames) / 1_000 },
    });
    if (!heard.text) return;
    const final = transcript(stt.SpeechEventType.FINAL_TRANSCRIPT, heard, this.#hearing.language);
    this.#put({ ...final, speechEndTime });
  }

  #put(event: stt.SpeechEvent): void {
    if (!this.queue.closed) this.queue.put(event);
  }
}

const durationMs = (frames: readonly AudioFrame[]): number =>
  frames.reduce((sum, { samplesPerChannel, sampleRate }) => sum + (1_000 * samplesPerChannel) / sampleRate, 0);
