/** The list of all states that the SQL functions have had (docs/decisions/0017-functions-only-go-forward.md). */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hashOfAll, readFunctions, readReleases } from '../../services/store/migrate/function-files.ts';

export const releasesFile = 'services/store/functions/releases.txt';

/** Its text with the functions as they are now: one line after those of the last commit, however often they were changed since. */
export async function functionReleases(root: URL): Promise<string> {
  const folder = new URL('services/store/functions/', root);
  const [now, committed] = [hashOfAll(await readFunctions(folder)), await committedReleases(root, folder)];
  return `${[...committed, ...(committed.at(-1) === now ? [] : [now])].join('\n')}\n`;
}

/** Without a repository, as in an image, those that are there. */
async function committedReleases(root: URL, folder: URL): Promise<string[]> {
  try {
    const { stdout } = await promisify(execFile)('git', ['show', `HEAD:./${releasesFile}`], {
      cwd: fileURLToPath(root),
    });
    return stdout.trimEnd().split('\n');
  } catch {
    // A checkout without its history.
    return readReleases(folder);
  }
}
