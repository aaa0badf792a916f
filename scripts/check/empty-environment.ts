import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { settings } from '../../services/settings/settings.ts';

const run = promisify(execFile);

/** What a command of ours or npm has put into the environment of its children. */
const ofThisRun =
  /^(npm_(?!config_)|PARLEY_|LIVEKIT_|VITEST|NODE_(ENV|OPTIONS|COMPILE_CACHE)$|INIT_CWD$|COLOR$|EDITOR$)/;
/** What npm has read from its settings and hands on under these names, beside what was set for it. */
const npmPlaces =
  /^npm_config_(cache|globalconfig|global_prefix|local_prefix|prefix|userconfig|init_module|node_gyp|user_agent)$/i;

/**
 * The environment of somebody who has never run anything of ours: an empty HOME at `home`, and empty caches below it. Kept is what says
 * how the network and the registries are reached, be it a variable or a file in the real HOME, and which Node, Python and Go there are.
 */
export async function emptyEnvironment(home: string, root: string): Promise<NodeJS.ProcessEnv> {
  await mkdir(home, { recursive: true });
  const kept = Object.entries(process.env).filter(([name]) => !ofThisRun.test(name) && !npmPlaces.test(name));
  const cache = join(home, '.cache');
  return {
    ...Object.fromEntries(kept),
    ...settingsFiles(),
    PATH: await pathWithout(root),
    HOME: home,
    XDG_CACHE_HOME: cache,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local/share'),
    [settings.cacheFolder.name]: join(cache, 'parley'),
    npm_config_cache: join(home, '.npm'),
    PIP_CACHE_DIR: join(cache, 'pip'),
    GOPATH: join(home, 'go'),
    GOMODCACHE: join(home, 'go/pkg/mod'),
    GOCACHE: join(cache, 'go-build'),
  };
}

/** The user's own settings of npm, pip and Go, which on some machines alone know the way to a registry. */
function settingsFiles(): NodeJS.ProcessEnv {
  const config = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  const places: Record<string, readonly (string | undefined)[]> = {
    npm_config_userconfig: [process.env.npm_config_userconfig, join(homedir(), '.npmrc')],
    PIP_CONFIG_FILE: [process.env.PIP_CONFIG_FILE, join(config, 'pip/pip.conf'), join(homedir(), '.pip/pip.conf')],
    GOENV: [process.env.GOENV, join(config, 'go/env')],
  };
  const found = Object.entries(places).map(([name, files]) => [name, files.find((file) => file && existsSync(file))]);
  return Object.fromEntries(found.filter(([, file]) => file !== undefined));
}

/**
 * PATH without what npm added for this checkout, and first the real Python: a shim of pyenv looks for its versions in HOME.
 */
async function pathWithout(root: string): Promise<string> {
  const parts = (process.env.PATH ?? '')
    .split(':')
    .filter((part) => !part.startsWith(root) && !part.includes('node-gyp-bin'));
  const { stdout } = await run('python3', ['-c', 'import sys; print(sys.executable)']).catch(() => ({ stdout: '' }));
  return [...(stdout ? [dirname(stdout.trim())] : []), ...parts].join(':');
}
