import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { DownloadFailed, type PinnedFile } from './download.ts';
import { storageFault, systemCode } from './fault.ts';

export interface Onwards {
  /** How long the server may take to answer at all. */
  answerWithinMs: number;
  /** Told as bytes come: how many there are, those of an earlier try among them. */
  onBytes?: (there: number) => void;
}

const stallMs = 30_000;
const diskCodes = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS']);

/**
 * Downloads to `file`, and goes on where an earlier try broke off: what has come so far is kept as `<file>.part`.
 *
 * @throws DownloadFailed when the server can't be reached, answers badly, stalls for 30 s, or sends another content than the pinned one
 * (which is thrown away); a Fault when the disk refuses
 */
export async function downloadOnwards({ url, sha256 }: PinnedFile, file: string, how: Onwards): Promise<void> {
  const part = `${file}.part`;
  try {
    await fetchOnwards(url, part, how);
  } catch (error) {
    throw diskCodes.has(systemCode(error) ?? '') ? storageFault(error, file) : asDownloadFailed(error, url);
  }
  const found = await sha256Of(part);
  if (found !== sha256) {
    await rm(part, { force: true });
    throw new DownloadFailed(`${url} is not the file that was pinned (SHA-256 ${found}, expected ${sha256})`);
  }
  await rename(part, file);
}

/** Hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

async function fetchOnwards(url: string, part: string, { answerWithinMs, onBytes }: Onwards): Promise<void> {
  const had = await sizeOf(part);
  const stop = new AbortController();
  const late = (ms: number) => stop.abort(new Error(`nothing came for ${ms / 1_000} s`));
  let timer = setTimeout(() => late(answerWithinMs), answerWithinMs);
  try {
    const headers = had > 0 ? { range: `bytes=${had}-` } : {};
    const response = await fetch(url, { signal: stop.signal, headers });
    clearTimeout(timer);
    // All of it was there: whether it is the right one shows by its hash.
    if (response.status === 416 && had > 0) return;
    if (!response.ok || !response.body) throw new DownloadFailed(`${url} answered ${response.status}`);
    const goesOn = response.status === 206;
    let there = goesOn ? had : 0;
    timer = setTimeout(() => late(stallMs), stallMs);
    const watch = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        timer.refresh();
        there += chunk.length;
        onBytes?.(there);
        done(null, chunk);
      },
    });
    const to = createWriteStream(part, { flags: goesOn ? 'a' : 'w' });
    await pipeline(Readable.fromWeb(response.body as ReadableStream), watch, to);
  } finally {
    clearTimeout(timer);
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    // There was no earlier try.
    return 0;
  }
}

function asDownloadFailed(error: unknown, url: string): DownloadFailed {
  if (error instanceof DownloadFailed) return error;
  const reason = systemCode(error) ?? (error instanceof Error ? error.message : String(error));
  return new DownloadFailed(`${url} can't be reached (${reason})`, { cause: error });
}
