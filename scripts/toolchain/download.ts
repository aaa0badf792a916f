import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { storageFault, systemCode } from './fault.ts';

/** A file on the web whose content is known beforehand. */
export interface PinnedFile {
  url: string;
  /** Hexadecimal. */
  sha256: string;
}

/** The download could not be had: other ways to get the thing may still work. */
export class DownloadFailed extends Error {
  override name = 'DownloadFailed';
}

/**
 * Downloads to `file`. Throws DownloadFailed when the address can't be reached, answers badly, stalls for 30 s or sends another
 * content than the pinned one (then nothing is left at `file`), and a Fault when the disk refuses.
 */
export async function download({ url, sha256 }: PinnedFile, file: string): Promise<void> {
  const hash = createHash('sha256');
  try {
    await fetchInto(url, file, (chunk) => hash.update(chunk));
  } catch (error) {
    await rm(file, { force: true });
    throw writeCodes.has(systemCode(error) ?? '') ? storageFault(error, file) : asDownloadFailed(error, url);
  }
  const found = hash.digest('hex');
  if (found === sha256) return;
  await rm(file, { force: true });
  throw new DownloadFailed(`${url} is not the file that was pinned (SHA-256 ${found}, expected ${sha256})`);
}

const writeCodes = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS']);
const stallMs = 30_000;

async function fetchInto(url: string, file: string, onChunk: (chunk: Buffer) => void): Promise<void> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error(`nothing came for ${stallMs / 1000} s`)), stallMs);
  try {
    const response = await fetch(url, { signal: stalled.signal });
    if (!response.ok || !response.body) throw new DownloadFailed(`${url} answered ${response.status}`);
    const watch = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        timer.refresh();
        onChunk(chunk);
        done(null, chunk);
      },
    });
    await pipeline(Readable.fromWeb(response.body as ReadableStream), watch, createWriteStream(file));
  } finally {
    clearTimeout(timer);
  }
}

function asDownloadFailed(error: unknown, url: string): DownloadFailed {
  if (error instanceof DownloadFailed) return error;
  const reason = systemCode(error) ?? (error instanceof Error ? error.message : String(error));
  return new DownloadFailed(`${url} can't be reached (${reason})`, { cause: error });
}
