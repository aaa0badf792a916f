import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const deadlineMs = 5_000;

/** The commit of this checkout, `1a2b3c4d5e6f`, with `-dirty` where files differ from it; undefined where it is none. */
export async function checkedOut(folder = join(import.meta.dirname, '../..')): Promise<string | undefined> {
  // Without one of its own, git would name the commit of a repository around it.
  if (!existsSync(join(folder, '.git'))) return undefined;
  try {
    const args = ['-C', folder, 'describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
    return (await run('git', args, { timeout: deadlineMs })).stdout.trim() || undefined;
  } catch {
    // A shallow or damaged checkout starts all the same: what runs is told, and not needed.
    return undefined;
  }
}
