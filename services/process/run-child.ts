import { type ChildProcess, spawn } from 'node:child_process';

export interface ChildRun {
  env: NodeJS.ProcessEnv;
  input?: string | Buffer;
  /** Its input is left open after `input`: that it ends tells the child that this process is gone. */
  inputStaysOpen?: boolean;
  timeoutMs: number;
  /** Of its standard output. */
  maxOutputBytes: number;
  signal: AbortSignal;
  started?: (pid: number) => void;
}

export interface ChildEnd {
  /** Null when it was killed. */
  status: number | null;
  output: Buffer;
  /** The end of what it wrote to standard error. */
  lastWords: string;
  /** Why it was killed here, if it was. */
  killedFor?: 'taking too long' | 'saying too much' | 'the signal';
}

const lastWordsKept = 2_000;

/**
 * Runs a program without a shell, and waits for its end, however it ends. Whatever it has started ends with it when it is killed.
 * @throws Error when it could not be started
 */
export async function runChild(file: string, args: readonly string[], run: ChildRun): Promise<ChildEnd> {
  const child = spawn(file, args, { env: run.env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  let [bytes, lastWords] = [0, ''];
  let killedFor: ChildEnd['killedFor'];
  const kill = (why: NonNullable<ChildEnd['killedFor']>) => {
    killedFor ??= why;
    killGroup(child);
  };
  const stop = () => kill('the signal');
  const timer = setTimeout(kill, run.timeoutMs, 'taking too long');
  run.signal.addEventListener('abort', stop, { once: true });
  if (run.signal.aborted) stop();
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > run.maxOutputBytes) kill('saying too much');
    else output.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = (lastWords + chunk).slice(-lastWordsKept);
  });
  // It may have ended before it read everything; how it ended says what matters.
  child.stdin.on('error', () => undefined);
  if (run.inputStaysOpen) child.stdin.write(run.input ?? '');
  else child.stdin.end(run.input);
  if (child.pid !== undefined) run.started?.(child.pid);
  try {
    const status = await ended(child);
    return { status, output: Buffer.concat(output), lastWords, ...(killedFor && { killedFor }) };
  } finally {
    clearTimeout(timer);
    run.signal.removeEventListener('abort', stop);
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  return promise;
}

function killGroup({ pid, stdout, stderr }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
  // What it has started may have left the group, and would hold these open.
  for (const stream of [stdout, stderr]) stream?.destroy();
}
