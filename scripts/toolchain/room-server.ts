import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, chmod, constants, mkdir, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, openCacheFolder } from './cache.ts';
import { DownloadFailed, download, type PinnedFile } from './download.ts';
import { storageFault } from './fault.ts';
import { goBuild, type Progress } from './go-build.ts';
import { withLock } from './lock.mjs';

const run = promisify(execFile);

/** Tied to scripts/toolchain/livekit/go.mod; a newer patch release on PATH is fine. */
const version = '1.13.5';
const series = '1.13.';
const program = 'livekit-server';

/**
 * The official archives by platform. The checksums are those of the release's checksums.txt as several unrelated public
 * projects quote them; a platform without an entry builds from source.
 */
const officialReleases: Readonly<Record<string, PinnedFile>> = {
  'linux-x64': {
    url: `https://github.com/livekit/livekit/releases/download/v${version}/livekit_${version}_linux_amd64.tar.gz`,
    sha256: 'c020fac437b7cc9b776eef1ad5ea8af77be9acfa07602eca20a3a44930dfbc70',
  },
  'linux-arm64': {
    url: `https://github.com/livekit/livekit/releases/download/v${version}/livekit_${version}_linux_arm64.tar.gz`,
    sha256: '332015305518765fe05bad74fc3a9d9583e635e7dd130de3c4fc563d69c550f3',
  },
};

export interface RoomServerSources {
  env: NodeJS.ProcessEnv;
  release: PinnedFile | undefined;
  /** The folder with the go.mod that pins what is built. */
  goModule: string;
  /** Gives up a build that is under way. */
  signal?: AbortSignal | undefined;
}

export const officialSources = (): RoomServerSources => ({
  env: process.env,
  release: officialReleases[`${platform()}-${arch()}`],
  goModule: join(import.meta.dirname, 'livekit'),
});

/**
 * The path of the room server's program: from PATH, the cache, the official download, or built with Go, in this order.
 * Throws a Fault that says what to do when none works.
 */
export async function roomServerPath(progress: Progress, sources = officialSources()): Promise<string> {
  if (await isUsable(program, sources.env)) return program;
  const cache = cacheFolder(sources.env);
  const folder = join(cache, `${program}-${version}`);
  const file = join(folder, program);
  if (await isExecutable(file)) return file;
  await openCacheFolder(folder);
  const waiting = (pid: number) => progress(`Process ${pid} is getting the room server; waiting for it.`);
  await withLock(join(cache, `${program}.lock`), () => provide({ ...sources, folder, file, progress }), waiting);
  return file;
}

async function isUsable(file: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  try {
    const { stdout } = await run(file, ['--version'], { env });
    return stdout.includes(`version ${series}`);
  } catch {
    return false;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

interface Provision extends RoomServerSources {
  folder: string;
  file: string;
  progress: Progress;
}

async function provide(provision: Provision): Promise<void> {
  const { folder, file } = provision;
  if (await isExecutable(file)) return;
  const draft = join(folder, `${program}.${randomUUID()}`);
  try {
    await mkdir(draft);
    const made = (await downloaded(provision, draft)) ?? (await built(provision, draft));
    await chmod(made, 0o755);
    await rename(made, file);
  } catch (error) {
    throw storageFault(error, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The program out of the official archive, or undefined when it has to be built. */
async function downloaded({ release, progress }: Provision, draft: string): Promise<string | undefined> {
  if (!release) return undefined;
  progress(`Downloading the room server ${version} (18 MB, once) …`);
  const archive = join(draft, 'archive.tar.gz');
  try {
    await download(release, archive);
  } catch (error) {
    if (!(error instanceof DownloadFailed)) throw error;
    progress(`The download failed: ${error.message}.`);
    return undefined;
  }
  await run('tar', ['-xzf', archive, '-C', draft, program]);
  return join(draft, program);
}

async function built({ env, goModule, progress, signal }: Provision, draft: string): Promise<string> {
  const target = join(draft, program);
  await goBuild({
    what: `the room server ${version}`,
    otherwise: `put ${program} ${series}x on your PATH (livekit.io)`,
    goModule,
    packages: ['github.com/livekit/livekit-server/cmd/server'],
    target,
    modules: 110,
    env,
    progress,
    signal,
  });
  return target;
}
