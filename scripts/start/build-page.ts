import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { LogFile } from './log-file.ts';

const script = join(import.meta.dirname, '../build-pages.ts');

export interface PageBuild {
  log: LogFile;
  signal: AbortSignal;
  say(line: string): void;
}

/** Builds the pages in a process of its own. Without them everything else works, so a failure is only said. */
export async function buildPagesAside({ log, signal, say }: PageBuild): Promise<void> {
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => log.write(chunk));
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    // Stopping ends it too; then nobody waits for the page any more.
    child.once('error', () => resolve(null));
  });
  if (code !== 0 && !signal.aborted)
    say(`The dashboard, the try-it page or the widget could not be built: see ${log.file}.`);
}
