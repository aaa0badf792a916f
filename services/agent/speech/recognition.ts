import { type APIConnectOptions, stt } from '@livekit/agents';
import type { AudioFrame } from '@livekit/rtc-node';
import { sleep } from '../../process/sleep.ts';
import { mayPass, SpeechFailure, toSpeechFailure } from './failure.ts';
import { InOrder } from './in-order.ts';
import { WholeUtterances } from './whole-utterances.ts';
import { Wire } from './wire.ts';

/** One provider's way to recognise. */
export interface Listener {
  provider: string;
  stt: stt.STT & { glimpse?(sound: AudioFrame): Promise<string> };
  /** A flush is answered with one final, after which nothing follows; absent: only an `END_OF_SPEECH` says so. */
  answersOnce?: boolean;
}

export interface RecognitionOptions {
  listeners: readonly [Listener, ...Listener[]];
  /** Told of each failure that another provider, or a second try, is to mend. */
  onMended: (failure: SpeechFailure) => void;
}

/** What was said and not recognised yet is said again to the next provider, up to this much. */
const mostUnheardMs = 10_000;
/** After the end of an utterance; a provider from which nothing at all has come by then is asked again. */
const answerWithinMs = 1_000;
/** By then one that is there has said something, if only that it understood nothing: its answer to a flush takes 0.1 to 0.3 s. */
const wordlessAfterMs = 600;
/** One that begins only then takes longer. */
const wholeWithinMs = 8_000;
/** The end of an utterance is told a pause (0.2 s) after its last sound: what was said before a shorter time has its answer. */
const answeredJustNowMs = 500;
/** Points for each provider until all is given up: a failure counts 2, an utterance without a sign of life 1. */
const pointsEach = 4;
const pauseBeforeSecondRoundMs = 250;
/** That somebody speaks is known some windows after the first sound, which is kept with what follows it. */
const leadMs = 400;
/** A connection that was lost after so long was a good one: providers close those on which nobody speaks. */
const steadyMs = 5_000;

const once: APIConnectOptions = { maxRetry: 0, retryIntervalMs: 0, timeoutMs: 10_000 };

type Sound = AudioFrame | AudioFrame[];

/**
 * Speech to text by providers in order: when one fails the next one goes on, and hears what the first had not answered. Each is
 * tried twice before `SpeechFailure` ends it. One that failed rests for a while, then has its turn again. A sound without words
 * is answered with an empty text: a provider that is connected and sends no words has understood none.
 *
 * Why not the framework's FallbackAdapter (1.9.0): what was said while it changed providers is lost, and a provider that
 * failed is listened to beside the other one, and billed, until it recognises something.
 */
export class HeardInOrder extends stt.STT {
  label = 'parley.HeardInOrder';
  readonly #options: RecognitionOptions;
  readonly order: InOrder<Listener>;

  constructor(options: RecognitionOptions) {
    const { streaming, interimResults } = options.listeners[0].stt.capabilities;
    super({ streaming, interimResults });
    this.#options = options;
    this.order = new InOrder(options.listeners);
    for (const { stt } of options.listeners) {
      stt.on('metrics_collected', (metrics) => this.emit('metrics_collected', metrics));
      // An emitter without a listener throws on `error`; while a provider listens, its stream does.
      stt.on('error', () => {});
    }
  }

  override get model(): string {
    return this.order.first.stt.model;
  }

  override get provider(): string {
    return this.order.first.provider;
  }

  mended(failure: SpeechFailure): void {
    this.#options.onMended(failure);
  }

  /** @throws SpeechFailure of the last provider asked */
  protected async _recognize(sound: Sound, signal?: AbortSignal): Promise<stt.SpeechEvent> {
    let last: SpeechFailure | undefined;
    for (const listener of this.order.attempts()) {
      if (last && listener.provider === last.provider && !mayPass(last)) break;
      if (last) this.mended(last);
      try {
        const event = await recogniseWhole(listener.stt, sound, signal);
        this.order.succeeded(listener);
        return event;
      } catch (error) {
        last = toSpeechFailure(error, { part: 'recognition', provider: listener.provider });
        if (signal?.aborted) break;
        this.order.failed(listener);
      }
    }
    throw last ?? new Error('There is nobody to recognise.');
  }

  /** Words so far of an utterance that goes on, by one that takes whole utterances; empty where it does not tell. @throws SpeechFailure */
  async glimpse(sound: AudioFrame): Promise<string> {
    const [listener] = this.order.attempts();
    return (await listener?.stt.glimpse?.(sound)) ?? '';
  }

  stream({ connOptions }: { connOptions?: APIConnectOptions } = {}): stt.SpeechStream {
    return new HeardStream(this, connOptions);
  }

  override async close(): Promise<void> {
    await Promise.all(this.#options.listeners.map(({ stt }) => stt.close()));
  }
}

/** A provider that only listens along is given the whole utterance at once. */
async function recogniseWhole(provider: stt.STT, sound: Sound, signal?: AbortSignal): Promise<stt.SpeechEvent> {
  if (!provider.capabilities.streaming) return provider.recognize(sound, signal);
  const stream = provider.stream({ connOptions: once });
  const failed = failureOf(provider);
  try {
    for (const frame of [sound].flat()) stream.pushFrame(frame);
    stream.flush();
    stream.endInput();
    for await (const event of stream) if (event.type === stt.SpeechEventType.FINAL_TRANSCRIPT) return event;
    if (failed.error) throw failed.error;
    return { type: stt.SpeechEventType.FINAL_TRANSCRIPT };
  } finally {
    failed.stop();
    stream.close();
  }
}

/** The framework's streams end without a word when they fail; the reason comes as an event. */
function failureOf(provider: stt.STT): { error: Error | undefined; stop(): void } {
  const watch = { error: undefined as Error | undefined, stop: () => void provider.off('error', note) };
  const note = ({ error, recoverable }: { error: Error; recoverable: boolean }) => {
    if (!recoverable) watch.error = error;
  };
  provider.on('error', note);
  return watch;
}

class HeardStream extends stt.SpeechStream {
  label = 'parley.HeardStream';
  readonly #owner: HeardInOrder;
  #child: stt.SpeechStream | undefined;
  #unheard: AudioFrame[] = [];
  /** An utterance has ended and was not answered yet. */
  #awaited = false;
  /** Words that may change still, of what was said last. */
  #guess: stt.SpeechEvent | undefined;
  /** The next utterance has begun before the last one was answered: what was guessed of that, and how much of `#unheard` belongs to it. */
  #before: { guess: stt.SpeechEvent | undefined; frames: number } | undefined;
  /** Words that were told as final although they never were: they may still become it. */
  #settled = '';
  #patience: NodeJS.Timeout | undefined;
  #wire: Wire | undefined;
  #wasAnswered = false;
  /** For failures since something was recognised. */
  #points = 0;
  #stalled = false;
  /** Nothing follows the final that answers a flush. */
  #answersOnce = false;
  #inputEnded = false;

  constructor(owner: HeardInOrder, connOptions?: APIConnectOptions) {
    super(owner, undefined, { ...once, ...connOptions, maxRetry: 0 });
    this.#owner = owner;
  }

  /** The providers' own figures are passed on; these would count twice. */
  protected override async monitorMetrics(): Promise<void> {
    for await (const event of this.queue) if (!this.output.closed) this.output.put(event);
    if (!this.output.closed) this.output.close();
  }

  /** @throws SpeechFailure */
  protected async run(): Promise<void> {
    void this.#forward();
    while (!this.closed) {
      const [listener = this.#owner.order.first] = this.#owner.order.attempts();
      const begunAt = performance.now();
      const failure = await this.#listenTo(listener);
      if (this.closed || (!failure && this.#inputEnded)) return;
      if (performance.now() - begunAt > steadyMs && !this.#awaited) this.#points = 0;
      await this.#afterFailure(listener, failure ?? droppedBy(listener));
    }
  }

  async #afterFailure(listener: Listener, failure: SpeechFailure): Promise<void> {
    const { order } = this.#owner;
    order.failed(listener);
    this.#points += failure.kind === 'stalled' ? 1 : 2;
    const afterOneRound = this.#points >= 2 * order.size;
    if (this.#points >= pointsEach * order.size || (afterOneRound && !mayPass(failure))) throw failure;
    this.#owner.mended(failure);
    if (afterOneRound) await sleep(pauseBeforeSecondRoundMs);
  }

  async #listenTo(listener: Listener): Promise<SpeechFailure | undefined> {
    const { provider } = listener;
    const failed = failureOf(listener.stt);
    let lost = false;
    const { opened: child, wire } = Wire.of(
      () => streamOf(listener),
      // A plugin that connects again by itself has lost what was on its way; one that does not notice hears nothing more.
      () => {
        lost = !this.#inputEnded;
        closeOnce(child);
      },
    );
    this.#wire = wire;
    this.#stalled = false;
    this.#answersOnce = listener.answersOnce ?? child instanceof WholeUtterances;
    try {
      this.#child = child;
      const asked = this.#unheard.slice(0, this.#before?.frames);
      for (const frame of asked) child.pushFrame(frame);
      if (this.#awaited) this.#flushChild();
      for (const frame of this.#unheard.slice(asked.length)) child.pushFrame(frame);
      if (this.#inputEnded) child.endInput();
      for await (const event of child) this.#pass(event);
    } finally {
      this.#child = undefined;
      clearTimeout(this.#patience);
      failed.stop();
      closeOnce(child);
    }
    if (this.#stalled) return stalledOf(provider);
    if (failed.error) return toSpeechFailure(failed.error, { part: 'recognition', provider });
    return lost ? droppedBy(listener) : undefined;
  }

  #pass(event: stt.SpeechEvent): void {
    if (event.type === stt.SpeechEventType.INTERIM_TRANSCRIPT) this.#guess = event;
    if (event.type !== stt.SpeechEventType.FINAL_TRANSCRIPT) return this.#tell(event);
    const more = withoutBeginning(event, this.#settled);
    this.#settled = '';
    const isLast = this.#awaited && this.#answersOnce;
    this.#answered();
    if (more) this.#tell(more);
    if (isLast) this.#tell({ type: stt.SpeechEventType.END_OF_SPEECH });
  }

  #tell(event: stt.SpeechEvent): void {
    if (!this.queue.closed) this.queue.put(event);
  }

  #answered(): void {
    clearTimeout(this.#patience);
    this.#awaited = false;
    this.#unheard = this.#before ? this.#unheard.slice(this.#before.frames) : [];
    this.#wasAnswered = true;
    if (!this.#before) this.#guess = undefined;
    this.#before = undefined;
    this.#points = 0;
  }

  async #forward(): Promise<void> {
    for await (const input of this.input) {
      if (this.closed) return;
      if (typeof input === 'symbol') this.#flush();
      else this.#hear(input);
    }
    this.#inputEnded = true;
    attempt(() => this.#child?.endInput());
  }

  #hear(frame: AudioFrame): void {
    this.#unheard.push(frame);
    while (durationMs(this.#unheard) > mostUnheardMs) this.#forgetFirst();
    attempt(() => this.#child?.pushFrame(frame));
  }

  #forgetFirst(): void {
    this.#unheard.shift();
    if (this.#before) this.#before.frames = Math.max(0, this.#before.frames - 1);
  }

  #flush(): void {
    // A server that takes whole utterances answers each of them, however long that takes.
    if (this.#before && !(this.#child instanceof WholeUtterances)) this.#settle();
    this.#before = undefined;
    this.#flushChild();
  }

  #flushChild(): void {
    attempt(() => this.#child?.flush());
    clearTimeout(this.#patience);
    // A provider that finds the end by itself has answered already.
    if (this.#wasAnswered && durationMs(this.#unheard) < answeredJustNowMs) return;
    this.#awaited = true;
    const isThere = this.#wire?.mark() ?? (() => false);
    this.#patience = setTimeout(() => this.#noWordsYet(isThere), wordlessAfterMs);
  }

  #noWordsYet(isThere: () => boolean): void {
    if (isThere() && !this.#guessOfAwaited) return this.#settle();
    const withinMs = this.#child instanceof WholeUtterances ? wholeWithinMs : answerWithinMs;
    this.#patience = setTimeout(() => {
      if (isThere()) this.#settle();
      else this.#stall();
    }, withinMs - wordlessAfterMs);
  }

  #stall(): void {
    this.#stalled = true;
    if (this.#child) closeOnce(this.#child);
  }

  get #guessOfAwaited(): stt.SpeechEvent | undefined {
    return this.#before ? this.#before.guess : this.#guess;
  }

  /** What is known is all that there is: finals fail to come (livekit/agents#931, deepgram-js-sdk#343). */
  #settle(): void {
    const { alternatives } = this.#guessOfAwaited ?? {};
    this.#settled = alternatives?.[0].text ?? '';
    this.#answered();
    this.#tell({ type: stt.SpeechEventType.FINAL_TRANSCRIPT, ...(alternatives && { alternatives }) });
    this.#tell({ type: stt.SpeechEventType.END_OF_SPEECH });
  }

  /** The person goes on after the pause that was flushed: no answer is owed before the next flush, and a guess may change. */
  goOn(): void {
    clearTimeout(this.#patience);
    this.#awaited = false;
  }

  /** Somebody begins to speak; what was said before has its answer yet to come, or not. */
  begin(): void {
    if (!this.#awaited || this.#before) return;
    this.#before = { guess: this.#guess, frames: this.#framesBefore(leadMs) };
    this.#guess = undefined;
  }

  /** Of those that no final has answered, without the last `ms`. */
  #framesBefore(ms: number): number {
    let frames = this.#unheard.length;
    for (let lead = 0; frames > 0 && lead < ms; frames -= 1)
      lead += durationMs(this.#unheard.slice(frames - 1, frames));
    return frames;
  }

  override close(): void {
    clearTimeout(this.#patience);
    super.close();
    if (this.#child) closeOnce(this.#child);
  }
}

/** The child may have ended in this very moment; whoever reads it finds out. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // See above.
  }
}

const streamOf = ({ stt: engine, provider }: Listener): stt.SpeechStream =>
  engine.capabilities.streaming ? engine.stream({ connOptions: once }) : new WholeUtterances(engine, provider, once);

const closed = new WeakSet<stt.SpeechStream>();

/** Closing some of the framework's streams (1.9.0) a second time ends in an unhandled rejection. */
function closeOnce(stream: stt.SpeechStream): void {
  if (closed.has(stream)) return;
  closed.add(stream);
  stream.close();
}

/** A final that comes after all, as far as it says more than was told; undefined when it does not. */
function withoutBeginning(event: stt.SpeechEvent, told: string): stt.SpeechEvent | undefined {
  const [first, ...others] = event.alternatives ?? [];
  if (!told || !first?.text.startsWith(told)) return event;
  const text = first.text.slice(told.length).trim();
  return text ? { ...event, alternatives: [{ ...first, text }, ...others] } : undefined;
}

const droppedBy = ({ provider }: Listener) =>
  new SpeechFailure({
    part: 'recognition',
    provider,
    kind: 'dropped',
    message: `${provider} stopped listening.`,
  });

const stalledOf = (provider: string) =>
  new SpeechFailure({
    part: 'recognition',
    provider,
    kind: 'stalled',
    message: `${provider} did not answer what was said.`,
  });

const durationMs = (frames: readonly AudioFrame[]): number =>
  frames.reduce((sum, { samplesPerChannel, sampleRate }) => sum + (1_000 * samplesPerChannel) / sampleRate, 0);
