import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { onPath } from '../../services/agent/providers/local/on-path.ts';
import { cachedFolder } from './cached.ts';
import { goBuild, type Progress } from './go-build.ts';
import { forSipBridge, installPrograms } from './system.ts';

/** Tied to scripts/toolchain/sip/go.mod. */
export const sipBridgeVersion = '1.8.0';
const program = 'livekit-sip';
const purpose = 'The SIP bridge needs';

/**
 * The path of the SIP bridge's program: from PATH, the cache, or built with Go, in this order; its makers publish images only.
 * Throws a Fault that says what to do when it can't be built.
 */
export async function sipBridgePath(progress: Progress, env = process.env): Promise<string> {
  if (onPath(program, env)) return program;
  const folder = await cachedFolder({
    name: `${program}-${sipBridgeVersion}`,
    make: (draft) => build(draft, progress, env),
    env,
    progress,
  });
  const path = join(folder, program);
  if (lacksLibraries(path)) await installPrograms(forSipBridge, purpose, progress);
  return path;
}

/** The cache may have come from another machine: the dynamic loader ends with 127 where a library is missing. */
const lacksLibraries = (path: string): boolean => spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 127;

async function build(draft: string, progress: Progress, env: NodeJS.ProcessEnv): Promise<void> {
  await installPrograms(forSipBridge, purpose, progress);
  await goBuild({
    what: `the SIP bridge ${sipBridgeVersion}`,
    otherwise: `put ${program} ${sipBridgeVersion} on your PATH`,
    goModule: join(import.meta.dirname, 'sip'),
    packages: ['github.com/livekit/sip/cmd/livekit-sip'],
    target: join(draft, program),
    modules: 110,
    cgo: true,
    env,
    progress,
  });
}
