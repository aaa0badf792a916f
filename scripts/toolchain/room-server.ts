import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { access, chmod, constants, mkdir, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, openCacheFolder } from './cache.ts';
import { DownloadFailed, download, type PinnedFile } from './download.ts';
import { Fault, storageFault, storageFaultInOutput, systemCode } from './fault.ts';
import { withLock } from './lock.mjs';

const run = promisify(execFile);

/** Tied to scripts/toolchain/livekit/go.mod; a newer patch release on PATH is fine. */
const version = '1.13.5';
const series = '1.13.';
const program = 'livekit-server';
const minutesToBuild = 'takes 2 to 5 minutes, once';

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

export type Progress = (line: string) => void;

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

async function built({ env, goModule, folder, progress, signal }: Provision, draft: string): Promise<string> {
  await requireGo(env);
  progress(`Building the room server ${version} from source (${minutesToBuild}) …`);
  const target = join(draft, program);
  const go = spawn('go', ['build', ...buildFlags, '-o', target, 'github.com/livekit/livekit-server/cmd/server'], {
    cwd: goModule,
    // The build must not depend on what the machine's owner has set for other projects.
    env: { ...env, GOFLAGS: '', GOWORK: 'off', CGO_ENABLED: '0' },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(signal && { signal }),
  });
  go.on('error', () => undefined);
  const output = collectBuildOutput(go.stderr, progress);
  const [code] = (await once(go, 'close')) as [number | null];
  if (code !== 0) throw buildFault(output(), folder);
  return target;
}

/** -s -w leave the debugging tables out: 50 MB instead of 75. */
const buildFlags = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w'];

async function requireGo(env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await run('go', ['version'], { env });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new Fault(
      `There is no room server for this machine: put ${program} ${series}x on your PATH (livekit.io), or install Go 1.26 and start again to build it.`,
    );
  }
}

const outputKept = 8_000;
const downloadsPerLine = 25;

/** Counts the modules that Go downloads, and keeps the end of its output for the error. */
function collectBuildOutput(stream: NodeJS.ReadableStream, progress: Progress): () => string {
  let kept = '';
  let downloads = 0;
  stream.on('data', (chunk: Buffer) => {
    kept = (kept + chunk).slice(-outputKept);
    const more = String(chunk).match(/^go: downloading/gm)?.length ?? 0;
    const told = Math.floor(downloads / downloadsPerLine);
    downloads += more;
    if (Math.floor(downloads / downloadsPerLine) > told) progress(`… ${downloads} of about 110 modules fetched`);
  });
  return () => kept;
}

function buildFault(output: string, folder: string): Fault {
  const storage = storageFaultInOutput(output, folder);
  if (storage) return storage;
  if (/requires go >=|toolchain not available/.test(output)) {
    return new Fault('Your Go is too old to build the room server: install Go 1.26 or newer and start again.');
  }
  if (/dial tcp|no such host|i\/o timeout|connection refused|TLS handshake/.test(output)) {
    return new Fault(
      `The Go module proxy can't be reached: connect to the internet or set GOPROXY, or put ${program} ${series}x on your PATH.`,
    );
  }
  const reason = output.trim().split('\n').slice(-3).join(' ');
  return new Fault(`The room server could not be built: ${reason}`);
}
