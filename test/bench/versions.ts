import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { cpus, platform, release, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { postgresBinaries } from '../../scripts/toolchain/postgres-binaries.ts';
import { roomServerPath } from '../../scripts/toolchain/room-server.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const root = new URL('../../', import.meta.url);

const packages = ['@livekit/agents', '@livekit/rtc-node', 'livekit-server-sdk', 'express', 'pg', 'undici'];

/** What was measured, so that figures of two days can be compared. */
export async function versions(): Promise<Record<string, string>> {
  const [postgres, rooms, commit] = await Promise.all([
    postgresBinaries().then((binaries) => firstLine(binaries.postgres, ['--version'])),
    roomServerPath(() => undefined).then((path) => firstLine(path, ['--version'])),
    firstLine('git', ['-C', root.pathname, 'rev-parse', '--short', 'HEAD']).catch(() => 'unknown'),
  ]);
  const own = await Promise.all(packages.map(async (name) => [name, await packageVersion(name)] as const));
  return { parley: commit, node: process.versions.node, postgres, roomServer: rooms, ...Object.fromEntries(own) };
}

export const machine = (): Record<string, string | number> => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()}`,
});

async function firstLine(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, args);
  return stdout.split('\n')[0]?.trim() ?? '';
}

async function packageVersion(name: string): Promise<string> {
  const folder = require.resolve.paths(name)?.[0] ?? '';
  const nearest = [new URL(`node_modules/${name}/package.json`, root).pathname, `${folder}/${name}/package.json`];
  for (const path of nearest) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text) return (JSON.parse(text) as { version: string }).version;
  }
  return 'unknown';
}
