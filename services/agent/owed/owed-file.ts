import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Vault } from '../../core/credentials/vault.ts';
import { bestEffort } from '../../process/best-effort.ts';
import type { Owed } from '../../store/tables/owed.ts';
import type { Kept, OwedKeeper } from './kept.ts';
import { hold } from './presence.ts';
import { endings, seal } from './records.ts';

export interface OwedFileParts {
  folder: string;
  vault: Vault;
  /** The disk does not take it: from here on what is owed is in memory only, until all is made up for. Told once each time. */
  onProblem: (error: unknown) => void;
  limits?: { bytes: number; entries: number };
}

/** 200 conversations of 400 entries are more than a host can owe in an outage that it outlives; a stack's volume holds four such files. */
const hostLimits = { bytes: 64 * 1024 * 1024, entries: 80_000 };

interface Entry {
  owed: Owed;
  written: PromiseWithResolvers<void>;
}

interface Opened {
  name: string;
  handle: FileHandle;
  presence: Server;
  lines: number;
  bytes: number;
}

/**
 * What this host owes the database, on the disk of its machine: made when the first conversation finds the database away, gone when
 * everything is made up for. Writes that come together share one fsync.
 */
export class OwedFile implements OwedKeeper {
  readonly #parts: OwedFileParts;
  readonly #limits: { bytes: number; entries: number };
  readonly #owing = new Set<Entry>();
  readonly #left = new Set<Entry>();
  #waiting: Entry[] = [];
  #opened: Opened | undefined;
  #isBroken = false;
  #working: Promise<void> | undefined;

  constructor(parts: OwedFileParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? hostLimits;
  }

  get full(): boolean {
    const { bytes, entries } = this.#limits;
    return this.#owing.size >= entries || (this.#opened?.bytes ?? 0) >= bytes;
  }

  keep(owed: Owed): Kept {
    const entry: Entry = { owed, written: Promise.withResolvers() };
    this.#owing.add(entry);
    this.#waiting.push(entry);
    this.#work();
    return {
      written: entry.written.promise,
      forget: () => this.#forget(entry),
      leave: () => void this.#left.add(entry),
    };
  }

  /** What conversations of this process have left behind; `made` when the database has it. */
  takeLeft(): { owed: Owed[]; made: () => void } {
    const taken = [...this.#left];
    return {
      owed: taken.map(({ owed }) => owed),
      made: () => {
        for (const entry of taken) this.#forget(entry);
      },
    };
  }

  /** The process ends: what is still owed stays for whoever starts here next. */
  async close(): Promise<void> {
    await this.#working;
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.handle.close();
    opened?.presence.close();
  }

  #forget(entry: Entry): void {
    this.#left.delete(entry);
    if (this.#owing.delete(entry) && this.#owing.size === 0) this.#work();
  }

  #work(): void {
    this.#working ??= this.#writeAndRemove();
  }

  async #writeAndRemove(): Promise<void> {
    // What comes in this turn of the event loop goes together.
    await setImmediate();
    while (this.#waiting.length > 0 || (this.#owing.size === 0 && (this.#opened || this.#isBroken))) {
      if (this.#waiting.length > 0) await this.#writeTogether(this.#waiting.splice(0));
      else await this.#remove();
    }
    // In the same step as the last look: who comes next begins anew.
    this.#working = undefined;
  }

  /** Everything that came while the disk was busy goes with one fsync. */
  async #writeTogether(entries: readonly Entry[]): Promise<void> {
    const owing = entries.filter((entry) => this.#owing.has(entry));
    try {
      if (owing.length > 0 && !this.#isBroken) await this.#append(owing);
    } catch (error) {
      // After a failed fsync nobody knows what of the file is on the disk: nothing more is appended to it.
      this.#isBroken = true;
      this.#parts.onProblem(error);
    }
    for (const { written } of entries) written.resolve();
  }

  async #append(entries: readonly Entry[]): Promise<void> {
    this.#opened ??= await this.#open();
    const { name, handle, lines } = this.#opened;
    const { vault } = this.#parts;
    const text = entries.map(({ owed }, index) => seal(vault, owed, name, lines + index)).join('');
    await handle.appendFile(text);
    await handle.datasync();
    this.#opened.lines += entries.length;
    this.#opened.bytes += text.length;
  }

  async #open(): Promise<Opened> {
    const { folder } = this.#parts;
    const name = randomBytes(8).toString('hex');
    // First the presence: nobody ever finds a file that seems to be left behind.
    const presence = await hold(join(folder, name + endings.presence));
    try {
      const handle = await open(join(folder, name + endings.file), 'ax', 0o600);
      await syncFolder(folder);
      return { name, handle, presence, lines: 0, bytes: 0 };
    } catch (error) {
      presence.close();
      throw error;
    }
  }

  async #remove(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    this.#isBroken = false;
    if (!opened) return;
    const { name, handle, presence } = opened;
    const why = 'whoever starts here next finds everything in the database already';
    await bestEffort(why, handle.close());
    await bestEffort(why, rm(join(this.#parts.folder, name + endings.file), { force: true }));
    presence.close();
  }
}

/** A new file is there after a power cut only when its folder is on the disk as well. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
