import type { Output, OutputTimes } from '../output.ts';
import type { TextOutput } from '../text-output.ts';
import type { PlayoutQueue } from './playout-queue.ts';
import type { SpokenReply } from './spoken-reply.ts';

/**
 * A turn said aloud. Its captions are a written output that gets the words as they are heard: what was shown, what was
 * heard and what is stored are the same.
 */
export class SpokenOutput implements Output {
  readonly mode = 'VOICE';
  readonly #playout: PlayoutQueue;
  readonly #captions: TextOutput;
  readonly #onSpoken: (reply: SpokenReply) => void;
  #speaking: SpokenReply | undefined;

  /** `onSpoken` hears of each turn that was said, or was cut. */
  constructor(playout: PlayoutQueue, captions: TextOutput, onSpoken: (reply: SpokenReply) => void) {
    this.#playout = playout;
    this.#captions = captions;
    this.#onSpoken = onSpoken;
  }

  get segment(): string {
    return this.#captions.segment;
  }

  get hasWords(): boolean {
    return this.#speaking?.hasWords ?? false;
  }

  get said(): string {
    return this.#captions.said;
  }

  get cut(): boolean {
    return this.#speaking?.cut ?? false;
  }

  get times(): OutputTimes {
    return this.#speaking?.times ?? {};
  }

  /** What goes on aloud is shown under a name of its own: what was heard before it stays as it is. */
  begin(): void {
    this.#captions.begin();
    this.#speaking = this.#playout.speak((words) => void this.#captions.captureText(words));
  }

  /** Resolves at once: the words are thought of faster than they are said. */
  async captureText(text: string): Promise<void> {
    this.#speaking?.say(text);
  }

  interject(line: string): boolean {
    const { current } = this.#playout;
    if (!current || current !== this.#speaking || current.ahead) return false;
    current.say(`${line} `);
    current.sayNow();
    return true;
  }

  sayFirst(line: string): boolean {
    const { current } = this.#playout;
    const sound = this.#playout.soundOf(line);
    return (
      sound !== undefined && current !== undefined && current === this.#speaking && current.sayFirst(`${line} `, sound)
    );
  }

  async end(): Promise<void> {
    this.#speaking?.end();
    await this.#speaking?.finished;
    await this.#captions.end();
    if (this.#speaking) this.#onSpoken(this.#speaking);
  }

  take(): Promise<string> {
    return this.#captions.take();
  }

  /** What is said before a tool is heard while the tool runs: it is stored with the rest of the turn. */
  async takeBeforeTool(): Promise<string> {
    this.#speaking?.sayNow();
    return '';
  }

  stop(): void {
    this.#speaking?.stop();
  }

  mute(): void {
    this.#captions.mute();
    this.#speaking?.stop();
  }

  interrupted(): void {
    this.#captions.interrupted();
  }

  repeatIfBroken(patienceMs: number): Promise<boolean> {
    return this.#captions.repeatIfBroken(patienceMs);
  }
}
