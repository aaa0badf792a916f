import { sleep } from '../../../process/sleep.ts';
import { ifLate, within } from '../../../process/within.ts';
import { type Speaker, speakerRate } from '../../room/speaker.ts';
import type { OutputTimes } from '../output.ts';
import type { SpeakingGate } from '../text-output.ts';
import { Pace } from './pace.ts';
import { Sound } from './sound.ts';
import type { VoiceStream } from './synthesis.ts';

/** Handed to the room at a time: the grain in which speech can be held, and captions follow it. */
const grainMs = 40;
/** Where speech goes on that was held: a little before, since the last sound was cut off in the middle. */
const stepBackMs = 120;
/** Sound that was heard is kept so long: a sentence that did not arrive is said again. */
const keptMs = 10_000;
/** A voice that has stopped sending sound in the middle has failed, should it not say so itself. */
const stalledMs = 15_000;

export interface SpokenReplyParts {
  /** The agent's voice in the room it is in now. */
  speaker(): Promise<Speaker>;
  /** The voice of the session. Nothing is asked of it before there is something to say. */
  openVoice(): Promise<VoiceStream>;
  maySpeak: SpeakingGate;
  /** Words, as they begin to be heard. */
  onHeard(words: string): void;
  onFailure(error: unknown): void;
}

/**
 * One reply said aloud, while it is still being thought of and its sound still being made. It can be held at once and
 * goes on where it was; when it is cut, what was begun to be said by then is all that was ever said. A voice that fails
 * leaves the rest to be read: the words are told without sound.
 */
export class SpokenReply {
  readonly times: OutputTimes = {};
  readonly #parts: SpokenReplyParts;
  readonly #pace = new Pace();
  readonly #sound = new Sound();
  readonly #finished = Promise.withResolvers<void>();
  #voice: Promise<VoiceStream> | undefined;
  /** The sound of all voices that were asked so far. */
  #made: Promise<void> = Promise.resolve();
  #text = '';
  readonly #allText = Promise.withResolvers<void>();
  #hasAllText = false;
  #told = 0;
  /** Sound that is no voice's of this reply. */
  #madeBeforeMs = 0;
  #playedMs = 0;
  #speaker: Speaker | undefined;
  #held: PromiseWithResolvers<void> | undefined;
  #cut = false;
  #failed = false;
  #isRead = false;

  constructor(parts: SpokenReplyParts) {
    this.#parts = parts;
  }

  /** Resolves when the last word was heard, or when it was cut. */
  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  get cut(): boolean {
    return this.#cut;
  }

  get failed(): boolean {
    return this.#failed;
  }

  get hasWords(): boolean {
    return this.#text !== '';
  }

  /** Whether the person has heard anything of it. */
  get isHeard(): boolean {
    return this.times.firstSoundAt !== undefined;
  }

  /** Text that is not heard yet. */
  get ahead(): string {
    return this.#text.slice(this.#told);
  }

  /** The sentence that is being heard, as far as it was. */
  get sentence(): string {
    const heard = this.#text.slice(0, this.#told);
    return heard.slice(sentenceStart(heard));
  }

  say(text: string): void {
    if (!text || this.#cut) return;
    this.times.firstWordAt ??= performance.now();
    this.#text += text;
    this.#pace.addText(text);
    if (this.#isRead) return;
    this.#voice ??= this.#openVoice();
    this.#voice.then((voice) => voice.say(text), ignore);
  }

  /** Says this before all that was said so far. False, and not said, once there is sound of that, or nobody is to hear it now. */
  sayFirst(text: string, sound: readonly Int16Array[]): boolean {
    if (this.#sound.ms > 0 || this.#told > 0 || this.#silent || this.#failed) return false;
    for (const samples of sound) this.#sound.add(samples);
    this.#madeBeforeMs = this.#sound.ms;
    this.#text = text + this.#text;
    this.#pace.putFirst(text, this.#madeBeforeMs);
    return true;
  }

  /** The next words may be long in coming: those that are there are said without waiting for the end of their sentence. */
  sayNow(): void {
    this.#voice?.then((voice) => voice.sayNow(), ignore);
  }

  /** What follows is said by the voice that the session has now. */
  changeVoice(): void {
    this.#voice?.then((voice) => voice.end(), ignore);
    this.#voice = undefined;
  }

  /** No further words. */
  end(): void {
    if (this.#hasAllText) return;
    this.#hasAllText = true;
    this.#allText.resolve();
    if (this.#voice) this.#voice.then((voice) => voice.end(), ignore);
    else void this.#made.then(() => this.#endIfSaid());
  }

  /** Says it, from now on. Resolves as `finished` does. */
  async play(): Promise<void> {
    try {
      await this.#playAll();
    } catch (error) {
      this.#fail(error);
    }
    if ((this.#failed || this.#isRead) && !this.#cut) await this.#allText.promise;
    if (!this.#cut) this.#tell(this.#text);
    this.times.soundEndedAt = performance.now();
    this.#finished.resolve();
  }

  /** Silence, until `release`. */
  hold(): void {
    if (this.#held) return;
    this.#held = Promise.withResolvers();
    this.#takeBack();
  }

  /** Goes on where it was held; with `again`, from the beginning of the sentence. */
  release({ again = false }: { again?: boolean } = {}): void {
    const from = again ? this.#pace.stretchAt(this.#playedMs) : this.#playedMs - stepBackMs;
    this.#playedMs = Math.max(this.#pace.stretchAt(this.#playedMs), from);
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Silence, for good. */
  stop(): void {
    if (this.#cut || this.times.soundEndedAt !== undefined) return;
    this.#tellHeard();
    this.#cut = true;
    this.#allText.resolve();
    this.#takeBack();
    this.#voice?.then((voice) => voice.stop(), ignore);
    this.#sound.end();
    this.#held?.resolve();
    this.#held = undefined;
  }

  /** Its words are told from now on without sound. */
  readTheRest(): void {
    if (this.#cut || this.times.soundEndedAt !== undefined) return;
    this.#tellHeard();
    this.#isRead = true;
    this.#takeBack();
    this.#voice?.then((voice) => voice.stop(), ignore);
    this.#sound.end();
    this.#held?.resolve();
    this.#held = undefined;
  }

  #openVoice(): Promise<VoiceStream> {
    const voice = this.#parts.openVoice();
    this.#made = this.#made.then(() => this.#makeSound(voice));
    return voice;
  }

  async #makeSound(opening: Promise<VoiceStream>): Promise<void> {
    try {
      const voice = await opening;
      for await (const { samples, begins } of voice) {
        if (begins) this.#pace.markText(begins);
        const before = this.#sound.ms;
        this.#sound.add(samples);
        this.#pace.addSound(this.#sound.ms - before);
      }
      // Another voice goes on.
      if (this.#voice !== opening && !this.#cut) return this.#endIfSaid();
      if (this.#hasAllText && this.#sound.ms > this.#madeBeforeMs) this.#pace.end();
      else this.#fail(new Error('the voice ended before the words did'));
    } catch (error) {
      this.#fail(error);
    }
    this.#sound.end();
  }

  /** Nothing was said since the voice was changed. */
  #endIfSaid(): void {
    if (this.#voice || !this.#hasAllText) return;
    this.#pace.end();
    this.#sound.end();
  }

  #fail(error: unknown): void {
    if (this.#failed || this.#cut || this.#isRead) return;
    this.#failed = true;
    this.#parts.onFailure(error);
  }

  get #silent(): boolean {
    return this.#cut || this.#isRead || this.#held !== undefined;
  }

  async #released(): Promise<void> {
    while (this.#held) await this.#held.promise;
  }

  async #playAll(): Promise<void> {
    this.#speaker = await this.#parts.speaker();
    while (!this.#cut && !this.#isRead) {
      await this.#released();
      const grain = this.#sound.read(this.#playedMs, grainMs);
      if (grain) await this.#playGrain(grain);
      else if (!this.#sound.whole) await this.#moreSound();
      else if (!(await this.#drained())) continue;
      else return;
      this.#tellHeard();
    }
  }

  async #playGrain(grain: Int16Array): Promise<void> {
    const allowed = await this.#parts.maySpeak();
    if (allowed === 'no') return this.stop();
    // The sound waits where it is.
    if (allowed === 'unknown') return;
    const speaker = await this.#parts.speaker();
    this.#speaker = speaker;
    await speaker.listenedTo();
    if (this.#silent) return;
    this.times.firstSoundAt ??= performance.now();
    const from = this.#playedMs;
    this.#playedMs += (grain.length * 1000) / speakerRate;
    await speaker.play(grain);
    // Held or cut while the room took it: it may have come after the silence.
    if (this.#silent) speaker.clear();
    else this.#sound.forgetBefore(from - keptMs);
  }

  /** Whether all that was handed over was heard; false when it was held meanwhile. */
  async #drained(): Promise<boolean> {
    while (!this.#silent) {
      const left = this.#speaker?.queuedMs ?? 0;
      if (left <= 0) return true;
      await sleep(Math.min(left, grainMs));
      this.#tellHeard();
    }
    return this.#cut || this.#isRead;
  }

  /** Waits for sound that is still being made. */
  async #moreSound(): Promise<void> {
    const came = this.#sound.more.then(() => true);
    const isGoingOn = await within(stalledMs, 'more sound', came).catch(ifLate(false));
    // Words that are still being thought of are no fault of the voice.
    if (!isGoingOn && this.#hasAllText) throw new Error('the voice stopped in the middle of a reply');
  }

  #takeBack(): void {
    const speaker = this.#speaker;
    if (!speaker) return;
    this.#playedMs = Math.max(0, this.#playedMs - speaker.queuedMs);
    speaker.clear();
  }

  #tellHeard(): void {
    if (this.#silent || !this.#speaker) return;
    const heardMs = this.#playedMs - this.#speaker.queuedMs;
    if (this.times.firstSoundAt !== undefined) this.#tell(this.#pace.heardAt(heardMs));
  }

  #tell(heard: string): void {
    const words = heard.slice(this.#told);
    if (!words) return;
    this.#told = heard.length;
    this.#parts.onHeard(words);
  }
}

/** Where the last sentence begins that is not over before the end of `heard`. */
function sentenceStart(heard: string): number {
  const ends = [...heard.matchAll(/[.!?…。！？]\s+(?=\S)/gu)];
  const last = ends.at(-1);
  return last ? last.index + last[0].length : 0;
}

const ignore = () => undefined;
