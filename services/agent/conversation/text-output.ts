import { randomBytes } from 'node:crypto';
import { sleep } from '../../process/sleep.ts';
import type { AgentRoom } from '../room/agent-room.ts';
import type { ReplyStream } from '../room/held-reply.ts';
import type { Beginning, Output, OutputTimes } from './output.ts';

const lookAgainMs = 100;

/**
 * Asked before anything is said: a host that was frozen first makes sure that the conversation is still its own, and as long
 * as nobody can tell it stays silent.
 */
export type SpeakingGate = () => Promise<'yes' | 'no' | 'unknown'>;

/**
 * The agent's words of one turn go out as one text stream, chunks as the model produces them. What was said is known
 * here to the character, which is what is stored. When the room was away while it spoke, or nobody could tell whose the
 * conversation is, the whole reply is said again once that is over, in a stream of its own: half a sentence is worth nothing.
 */
export class TextOutput implements Output {
  readonly mode = 'TEXT';
  readonly times: OutputTimes = {};
  readonly #room: () => AgentRoom;
  readonly #gate: SpeakingGate;
  readonly #onRefused: (error: unknown) => void;
  #writer: ReplyStream | undefined;
  #segment = '';
  #isFiller = false;
  #said = '';
  #taken = 0;
  #muted = false;
  #stopped = false;
  #cut = false;
  /** Why the person does not have all of it: it was kept back, or the room was away and it may not have arrived. */
  #missing: 'kept back' | 'lost' | undefined;
  #chain: Promise<void> = Promise.resolve();

  /** `onRefused` hears of words that the room did not take although it is connected. */
  constructor(room: () => AgentRoom, gate: SpeakingGate, onRefused: (error: unknown) => void) {
    this.#room = room;
    this.#gate = gate;
    this.#onRefused = onRefused;
  }

  /** Words came after it was stopped: what was out by then stays said. */
  get cut(): boolean {
    return this.#cut;
  }

  get segment(): string {
    return this.#segment;
  }

  begin({ segment, isFiller = false }: Beginning = {}): void {
    this.#segment = segment ?? `seg_${randomBytes(9).toString('base64url')}`;
    this.#isFiller = isFiller;
    this.#said = '';
    this.#taken = 0;
    this.#missing = undefined;
    this.#muted = false;
    this.#stopped = false;
    this.#cut = false;
  }

  captureText(text: string): Promise<void> {
    this.#chain = this.#chain.then(() => this.#say(text));
    return this.#chain;
  }

  get hasWords(): boolean {
    return this.#said !== '';
  }

  get said(): string {
    return this.#said;
  }

  /** What was said since the last time this was asked. */
  async take(): Promise<string> {
    await this.#chain;
    const text = this.#said.slice(this.#taken);
    this.#taken = this.#said.length;
    return text;
  }

  takeBeforeTool(): Promise<string> {
    return this.take();
  }

  /** Ends the turn's stream. Resolves when the last chunk is on its way. */
  async end(): Promise<void> {
    await this.#chain;
    const writer = this.#writer;
    this.#writer = undefined;
    await writer?.close().catch((error: unknown) => this.#refused(error));
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Nobody waits in silence for what is read: the client shows that the agent is thinking. */
  interject(): boolean {
    return false;
  }

  sayFirst(): boolean {
    return false;
  }

  /** Nothing more of this turn is said: another host does, or the person has gone. */
  mute(): void {
    this.#muted = true;
  }

  /** The room went away: what was said may not have arrived. */
  interrupted(): void {
    if (this.#said) this.#missing = 'lost';
  }

  /**
   * Says the whole turn again when the room was away in the middle of it and the person is back within `patienceMs`, which
   * begins when this host knows that it may speak; nothing when all of it arrived. Returns whether it did.
   */
  async repeatIfBroken(patienceMs: number): Promise<boolean> {
    let deadline = performance.now() + patienceMs;
    while (this.#missing && this.#said && !this.#muted && performance.now() < deadline) {
      const allowed = await this.#gate();
      if (allowed === 'no') this.#muted = true;
      else if (allowed === 'unknown') deadline = performance.now() + patienceMs;
      else if (!this.#muted) await this.#repeat();
      if (this.#missing) await sleep(lookAgainMs);
    }
    return !this.#missing;
  }

  async #repeat(): Promise<void> {
    const isBack = this.#missing === 'kept back' || this.#room().persons().length > 0;
    if (!this.#room().connected || !isBack) return;
    this.#missing = undefined;
    await this.#send(this.#said).catch((error: unknown) => this.#refused(error));
  }

  async #say(text: string): Promise<void> {
    if (this.#muted || !text) return;
    if (this.#stopped) {
      this.#cut = true;
      return;
    }
    const allowed = this.#missing ? 'unknown' : await this.#gate();
    if (allowed === 'no') {
      this.#muted = true;
      return;
    }
    // Whoever is told to wait still sees that the agent is thinking.
    if (!this.#said && !this.#isFiller) this.#room().showState('speaking');
    this.times.firstWordAt ??= performance.now();
    this.times.lastWordAt = performance.now();
    this.#said += text;
    if (!this.#room().connected) this.#missing = 'lost';
    else if (allowed === 'unknown') this.#missing ??= 'kept back';
    if (this.#missing) return;
    try {
      this.#writer ??= await this.#open();
      await this.#writer.write(text);
    } catch (error) {
      this.#writer = undefined;
      this.#refused(error);
    }
  }

  #open(): Promise<ReplyStream> {
    return this.#room().openReply(this.#segment, { isFiller: this.#isFiller });
  }

  #refused(error: unknown): void {
    this.#missing = 'lost';
    if (this.#room().connected) this.#onRefused(error);
  }

  async #send(text: string): Promise<void> {
    const writer = await this.#open();
    this.times.lastWordAt = performance.now();
    await writer.write(text);
    await writer.close();
  }
}
