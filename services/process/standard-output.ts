import { writeSync } from 'node:fs';
import { destination } from 'pino';

/** Nobody reads for so long: later lines are dropped, not kept until the memory is full. */
const mostWaitingBytes = 8 * 1024 * 1024;
/** How long the last lines wait for a reader who is behind. */
const patienceMs = 1_000;
const pauseMs = 20;

/** What sonic-boom, pinned by way of pino, has not written yet; the test beside this file fails when it names it differently. */
interface Unwritten {
  fd: number;
  _bufs: string[];
  _len: number;
  _writing: boolean;
  _writingBuf: string | Buffer;
}

/** Standard output for log lines: gathered for at most 200 ms, written aside from the work, dropped when nobody reads. */
export function standardOutput(): ReturnType<typeof destination> {
  const stream = destination({
    dest: 1,
    sync: false,
    minLength: 4096,
    maxLength: mostWaitingBytes,
    periodicFlush: 200,
  });
  // Its own repeats a write to a closed pipe for ever: the process could not end (docs/decisions/0018).
  stream.flushSync = () => writeWhatWaits(stream as unknown as Unwritten);
  return stream;
}

/** Without the event loop, which is over when a process exits. */
function writeWhatWaits(stream: Unwritten): void {
  const waiting = Buffer.concat(take(stream).map((part) => (Buffer.isBuffer(part) ? part : Buffer.from(part))));
  const deadline = performance.now() + patienceMs;
  let written = 0;
  while (written < waiting.length) {
    try {
      written += writeSync(stream.fd, waiting, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > deadline) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
}

/** All but what a write that is under way has already given to the system. */
function take(stream: Unwritten): (string | Buffer)[] {
  const parts = stream._bufs.splice(0);
  if (stream._writing) {
    stream._len = Buffer.byteLength(stream._writingBuf);
    return parts;
  }
  const all = [stream._writingBuf, ...parts];
  stream._writingBuf = '';
  stream._len = 0;
  return all;
}
