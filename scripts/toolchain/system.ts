import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { onPath } from '../../services/agent/providers/local/on-path.ts';
import { Fault } from './fault.ts';

const run = promisify(execFile);

export type SystemPackage = { debian: string } & (
  | {
      /** Any of these programs will do. */
      programs: readonly string[];
    }
  | {
      /** What a build links with, by its name for pkg-config. */
      library: string;
    }
);

/** The program that speaks on machines without a provider. Under the GPL: it is called, never linked. */
export const espeak: SystemPackage = { programs: ['espeak-ng'], debian: 'espeak-ng' };

/** Voices of recorded people, for measurements: no part of the product speaks with them. */
export const flite: SystemPackage = { programs: ['flite'], debian: 'flite' };

/** By this the room server and the SIP bridge find each other. */
export const redis: SystemPackage = { programs: ['redis-server'], debian: 'redis-server' };

/** What the SIP bridge is built with, of which it goes on to need the libraries. */
export const forSipBridge: readonly SystemPackage[] = [
  { programs: ['gcc'], debian: 'gcc' },
  { programs: ['pkg-config'], debian: 'pkg-config' },
  { library: 'opus', debian: 'libopus-dev' },
  { library: 'opusfile', debian: 'libopusfile-dev' },
  { library: 'soxr', debian: 'libsoxr-dev' },
];

/** What calls the SIP bridge in `npm run soak -- phone`. */
export const otherPhones: readonly SystemPackage[] = [{ programs: ['baresip'], debian: 'baresip' }];

/** What the tests run against and npm doesn't have. */
const forTests: readonly SystemPackage[] = [
  { programs: ['chromium', 'chromium-browser', 'google-chrome'], debian: 'chromium' },
  redis,
  espeak,
  { programs: ['zsh'], debian: 'zsh' },
];

/** @see installPrograms */
export const installSystemPackages = (progress: (line: string) => void): Promise<void> =>
  installPrograms(forTests, 'The tests need', progress);

/**
 * Installs what is missing with apt-get when we are root on Debian. Throws a Fault that names the packages elsewhere; `purpose`
 * begins its sentence.
 */
export async function installPrograms(
  packages: readonly SystemPackage[],
  purpose: string,
  progress: (line: string) => void,
): Promise<void> {
  const missing = missingPackages(packages);
  if (missing.length === 0) return;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !onPath('apt-get', process.env)) {
    throw new Fault(
      `${purpose} ${missing.join(' and ')}: install them (Debian: apt-get install ${missing.join(' ')}).`,
    );
  }
  progress(`Installing ${missing.join(' and ')} with apt-get, once …`);
  await aptGet(['update', '-qq']);
  await aptGet(['install', '-y', '-qq', '--no-install-recommends', ...missing]);
}

const missingPackages = (needed: readonly SystemPackage[]): string[] =>
  needed.filter((one) => !isThere(one)).map(({ debian }) => debian);

function isThere(needed: SystemPackage): boolean {
  if ('programs' in needed) return needed.programs.some((program) => onPath(program, process.env));
  return spawnSync('pkg-config', ['--exists', needed.library]).status === 0;
}

async function aptGet(args: readonly string[]): Promise<void> {
  try {
    await run('apt-get', [...args], {
      // A service that a package starts would take its usual port.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const reason = String((error as { stderr?: string }).stderr)
      .trim()
      .split('\n')
      .at(-1);
    throw new Fault(`apt-get ${args.join(' ')} failed (${reason}): install the packages by hand and try again.`);
  }
}
