import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { bestEffort } from '../../../process/best-effort.ts';
import type { Logger } from '../../../process/logger.ts';
import { SpeechFailure, type SpeechPart } from '../../speech/failure.ts';

/** What recognition hears: 16-bit mono samples at this rate. */
export const recogniserSampleRate = 16_000;
const readyWithinMs = 60_000;
const answerWithinMs = 10_000;
const mostWaiting = 32;
/** A program that dies before it has answered anything is started again only after this pause. */
const restartPauseMs = 2_000;

export interface Heard {
  text: string;
  /** 0 to 1. */
  confidence: number;
}

/** One line of the protocol that we write; `docs/write-agents/speech.md` is its description. */
export type EngineRequest = Readonly<Record<string, unknown>>;

export interface Answer {
  id?: string;
  ready?: boolean;
  languages?: string[];
  text?: string;
  confidence?: number;
  words?: Record<string, string[]>;
  /** Of a voice: 16-bit mono samples in base64. */
  audio?: string;
  sampleRate?: number;
  error?: string;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

interface Running {
  child: ChildProcess;
  ready: Promise<Answer>;
  /** Whether it has answered a request. */
  proven: boolean;
}

/** What it does, for failures and for the log. */
const names: Readonly<Record<SpeechPart, string>> = { recognition: 'Recognition', synthesis: 'The voice' };

/**
 * A program that turns speech into text or text into speech, as a process of its own that serves every conversation of this
 * host: requests and answers are lines of JSON. It is started when it is first needed, and again when it has died; what it was
 * working on then fails, and the next request finds a new one.
 */
export class EngineProgram {
  readonly #command: readonly [string, ...string[]];
  readonly #logger: Logger;
  readonly #part: SpeechPart;
  readonly #waiting = new Map<string, Waiting>();
  #running: Running | undefined;
  #diedAt = 0;
  #number = 0;
  #closed = false;

  constructor(command: readonly [string, ...string[]], logger: Logger, part: SpeechPart = 'recognition') {
    this.#command = command;
    this.#logger = logger;
    this.#part = part;
  }

  /** Requests that have no answer yet. */
  get load(): number {
    return this.#waiting.size;
  }

  get pid(): number | undefined {
    return this.#running?.child.pid;
  }

  /** Starts the program unless it runs. Gives the languages it knows, undefined for any. */
  async start(): Promise<readonly string[] | undefined> {
    const { languages } = await this.#run().ready;
    return languages;
  }

  /**
   * Asks, and waits for the answer: 10 s at most unless told otherwise.
   *
   * @throws SpeechFailure when the program can't be run, died, took too long or answered with an error, or has too much to do
   */
  async ask(request: EngineRequest, withinMs = answerWithinMs): Promise<Answer> {
    if (this.#waiting.size >= mostWaiting)
      throw this.#failure('unavailable', `${this.#name} has more to do than it can.`);
    const running = this.#run();
    await running.ready;
    this.#number += 1;
    const id = `${this.#number}`;
    const answer = await new Promise<Answer>((resolve, reject) => {
      const timer = setTimeout(() => this.#tooLong(running, id, withinMs), withinMs);
      this.#waiting.set(id, { resolve, reject, timer });
      running.child.stdin?.write(`${JSON.stringify({ id, ...request })}\n`);
    });
    if (answer.error !== undefined) throw this.#failure('unavailable', `${this.#name} failed: ${answer.error}`);
    return answer;
  }

  /** The program ends when its input does; one that doesn't is killed. */
  async close(): Promise<void> {
    this.#closed = true;
    const child = this.#running?.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    child.stdin?.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 1_000);
    await ended;
    clearTimeout(timer);
  }

  #run(): Running {
    if (this.#closed) throw this.#failure('unavailable', `${this.#name} is closed.`);
    if (this.#running) return this.#running;
    if (Date.now() - this.#diedAt < restartPauseMs) throw this.#failure('unavailable', `${this.#name} has just died.`);
    const [program, ...args] = this.#command;
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const ready = Promise.withResolvers<Answer>();
    void bestEffort('whoever asks for words hears of it', ready.promise);
    const tooLate = setTimeout(() => child.kill('SIGKILL'), readyWithinMs);
    // Why it can't be run. Once it hears people, what it complains of may be what they said, and errors reach the log.
    let complaint = '';
    const complains = (chunk: Buffer) => {
      complaint = (complaint + chunk).slice(-500);
    };
    child.stderr.on('data', complains);
    child.stdin.on('error', () => undefined);
    const ended = (reason: string) => {
      clearTimeout(tooLate);
      const error = this.#failure(
        'dropped',
        `The program of ${this.#part} ended (${reason}). ${lastLine(complaint)}`.trim(),
      );
      ready.reject(error);
      this.#died(child, error);
    };
    child.once('error', (error) => ended(error.message));
    child.once('close', (code, signal) => ended(`${signal ?? code}`));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const answer = parsed(line);
      if (!answer?.ready) return this.#answered(answer);
      clearTimeout(tooLate);
      child.stderr.off('data', complains).resume();
      complaint = '';
      ready.resolve(answer);
    });
    this.#running = { child, ready: ready.promise, proven: false };
    return this.#running;
  }

  get #name(): string {
    return names[this.#part];
  }

  #failure(kind: 'unavailable' | 'stalled' | 'dropped', message: string): SpeechFailure {
    return new SpeechFailure({ part: this.#part, provider: 'local', kind, message });
  }

  #answered(answer: Answer | undefined): void {
    const waiting = this.#waiting.get(answer?.id ?? '');
    if (!answer?.id || !waiting) return;
    this.#waiting.delete(answer.id);
    clearTimeout(waiting.timer);
    if (this.#running) this.#running.proven = true;
    waiting.resolve(answer);
  }

  /** A program that has hung does not come back by itself; whoever asks from now on is answered by a new one. */
  #tooLong({ child }: Running, id: string, withinMs: number): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    const error = this.#failure('stalled', `${this.#name} did not answer for ${withinMs / 1_000} s.`);
    this.#died(child, error);
    waiting?.reject(error);
    child.kill('SIGKILL');
  }

  #died(child: ChildProcess, error: SpeechFailure): void {
    if (this.#running?.child !== child) return;
    if (!this.#running.proven) this.#diedAt = Date.now();
    this.#running = undefined;
    if (!this.#closed)
      this.#logger.warn({ err: error, part: this.#part }, 'a program of speech ended; it is started again when needed');
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(error);
    }
    this.#waiting.clear();
  }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';

function parsed(line: string): Answer | undefined {
  try {
    const answer: unknown = JSON.parse(line);
    return typeof answer === 'object' && answer !== null ? (answer as Answer) : undefined;
  } catch {
    return undefined;
  }
}
