import { spawn } from 'node:child_process';
import { SpeechFailure } from '../../speech/failure.ts';
import { Slots } from './slots.ts';

/** What espeak-ng makes of every voice. */
export const espeakSampleRate = 22_050;
/** Its own default; a declared speed of 1. */
const wordsPerMinute = 175;
/** Longer than any sentence that is said; it bounds the sound that one process can make. */
const longestText = 4_000;
/** A process makes a minute of speech in about 0.2 s, so few at once serve many conversations. */
const atOnce = 4;
const mostWaiting = 64;
const deadlineMs = 10_000;

export interface EspeakRequest {
  text: string;
  /** A name of espeak-ng's, such as `de` or `en-us+f3`. */
  voice: string;
  speed: number;
  signal: AbortSignal;
}

/** espeak-ng is under the GPL: a program of its own, one process for each sentence, never linked into ours. */
export class Espeak {
  readonly #program: string;
  readonly #slots = new Slots(atOnce, mostWaiting);

  constructor(program: string) {
    this.#program = program;
  }

  /**
   * 16-bit mono samples, as they are made. Ends early when `signal` aborts; the process is killed then.
   *
   * @throws SpeechFailure when espeak-ng can't be run, fails, or hangs
   */
  async *speak({ text, voice, speed, signal }: EspeakRequest): AsyncGenerator<Uint8Array> {
    const release = await this.#slots.take(signal).catch((error: Error) => {
      throw failure(`espeak-ng has too much to say: ${error.message}`);
    });
    if (!release) return;
    try {
      const args = ['-v', voice, '-s', `${Math.round(wordsPerMinute * speed)}`, '-b', '1', '--stdin', '--stdout'];
      yield* withoutHeader(this.#run(args, plainText(text), signal));
    } finally {
      release();
    }
  }

  /** Codes of the languages that it speaks, without their regions; none where it can't be run. */
  async languages(): Promise<string[]> {
    const table: Buffer[] = [];
    try {
      for await (const part of this.#run(['--voices'], '', AbortSignal.timeout(deadlineMs))) table.push(part);
    } catch {
      return [];
    }
    const [, ...rows] = Buffer.concat(table).toString('utf8').trim().split('\n');
    const codes = rows.map((row) => row.trim().split(/\s+/u)[1] ?? '');
    return [...new Set(codes.map((code) => code.split('-')[0] ?? code))];
  }

  /** Whether it has a voice of this name. It takes an unknown variant (`de+nobody`) for none, and speaks. */
  async hasVoice(voice: string): Promise<boolean> {
    try {
      for await (const _ of this.#run(['-q', '-v', voice, '--stdin'], '', AbortSignal.timeout(deadlineMs)));
      return true;
    } catch {
      return false;
    }
  }

  /** What espeak-ng would say, as phonemes of the phonetic alphabet with `_` between them; one entry for each text. */
  async phonemes(texts: readonly string[], voice: string): Promise<string[]> {
    const parts: Buffer[] = [];
    const lines = texts.map((text) => plainText(text).replaceAll(/\s+/gu, ' ').trim());
    // A blank line ends a clause, so each text has a line of its own in what comes back.
    const args = ['-q', '-v', voice, '-b', '1', '--ipa=1', '--stdin'];
    for await (const part of this.#run(args, `${lines.join('\n\n')}\n`, AbortSignal.timeout(deadlineMs)))
      parts.push(part);
    const answers = Buffer.concat(parts).toString('utf8').trim().split('\n');
    if (answers.length !== texts.length) throw failure('espeak-ng did not tell how each word sounds.');
    return answers.map((answer) => answer.trim());
  }

  /** The same of one text, as it is written in the phonetic alphabet, without its marks of punctuation. */
  async ipa(text: string, voice: string): Promise<string> {
    const parts: Buffer[] = [];
    const args = ['-q', '-v', voice, '-b', '1', '--ipa', '--stdin'];
    for await (const part of this.#run(args, `${plainText(text)}\n`, AbortSignal.timeout(deadlineMs))) parts.push(part);
    const lines = Buffer.concat(parts).toString('utf8').split('\n');
    // In brackets it names a language that it changes to.
    return lines
      .join(' ')
      .replaceAll(/\([a-z-]+\)/gu, '')
      .replaceAll(/\s+/gu, ' ')
      .trim();
  }

  async *#run(args: readonly string[], input: string, signal: AbortSignal): AsyncGenerator<Buffer> {
    const child = spawn(this.#program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = new Promise<string | undefined>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code) => resolve(code === 0 ? undefined : `it ended with ${code}`));
    });
    let complaint = '';
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = (complaint + chunk).slice(-300);
    });
    const kill = () => child.kill('SIGKILL');
    const deadline = setTimeout(kill, deadlineMs);
    signal.addEventListener('abort', kill, { once: true });
    if (signal.aborted) kill();
    child.stdin.on('error', () => undefined).end(input);
    try {
      for await (const chunk of child.stdout) yield chunk as Buffer;
      const problem = await ended;
      if (problem && !signal.aborted) throw failure(`espeak-ng failed: ${problem}. ${complaint.trim()}`.trim());
    } finally {
      clearTimeout(deadline);
      signal.removeEventListener('abort', kill);
      kill();
    }
  }
}

const failure = (message: string) =>
  new SpeechFailure({ part: 'synthesis', provider: 'local', kind: 'unavailable', message });

/** Double brackets would be read as phonemes. */
const plainText = (text: string): string => text.slice(0, longestText).replaceAll('[[', '[ [');

const headerBytes = 44;

async function* withoutHeader(wav: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let toSkip = headerBytes;
  for await (const chunk of wav) {
    const skipped = Math.min(toSkip, chunk.length);
    toSkip -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}
