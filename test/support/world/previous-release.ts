import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The code of the release before, which calls the functions of this one while a rollout is under way, and after going back. */
export interface PreviousRelease extends AsyncDisposable {
  commit: string;
  /** Its files, with the packages of this one. */
  folder: string;
  /** Runs its job that brings a database to its schema. */
  prepare(env: Record<string, string>): Promise<void>;
}

export async function checkOutPreviousRelease(): Promise<PreviousRelease> {
  const commit = (await readFile(join(root, 'services/store/functions/previous-release.txt'), 'utf8')).trim();
  const parent = await mkdtemp(join(tmpdir(), 'parley-previous-'));
  const folder = join(parent, 'code');
  await mkdir(folder);
  await unpack(commit, folder);
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    commit,
    folder,
    prepare: async (env) => void (await run(process.execPath, [join(folder, 'scripts/prepare.ts')], { env })),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}

async function unpack(commit: string, folder: string): Promise<void> {
  const archive = `${folder}.tar`;
  await run('git', ['archive', '--output', archive, commit], { cwd: root }).catch((error: Error) => {
    const todo = 'run the tests in a clone with the whole history (git fetch --unshallow)';
    throw new Error(`The release before, commit ${commit}, is not here: ${todo}.`, { cause: error });
  });
  await run('tar', ['-xf', archive, '-C', folder]);
}
