import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs';

const maxBytes = 20 * 1024 * 1024;

/** A log that never takes more than twice `limitBytes`: when it is full it becomes `<file>.1` and a new one begins. */
export class LogFile {
  readonly file: string;
  readonly #limitBytes: number;
  #size: number;

  constructor(file: string, limitBytes = maxBytes) {
    this.file = file;
    this.#limitBytes = limitBytes;
    this.#size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** A disk that is full loses lines, never the process that logs. */
  write(chunk: Buffer | string): void {
    try {
      if (this.#size >= this.#limitBytes) this.#rotate();
      appendFileSync(this.file, chunk, { mode: 0o600 });
      this.#size += Buffer.byteLength(chunk);
    } catch {
      // Said by whatever else fails on a full disk; here nobody could read it.
    }
  }

  #rotate(): void {
    renameSync(this.file, `${this.file}.1`);
    this.#size = 0;
  }

  /** The last lines, for a message about why something ended. */
  tail(lines: number): string[] {
    try {
      return readFileSync(this.file, 'utf8').trimEnd().split('\n').slice(-lines);
    } catch {
      return [];
    }
  }
}
