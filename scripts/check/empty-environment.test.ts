import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { emptyEnvironment } from './empty-environment.ts';

const environment = { ...process.env };
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-home-'));
});

afterEach(async () => {
  process.env = { ...environment };
  await rm(home, { recursive: true, force: true });
});

test('nothing that was kept for earlier runs is found: no cache, no settings of ours, no programs of this checkout', async () => {
  Object.assign(process.env, { PARLEY_PORT: '1', LIVEKIT_URL: 'ws://x', npm_execpath: '/x', NODE_COMPILE_CACHE: '/x' });
  process.env.PATH = `/checkout/node_modules/.bin:${process.env.PATH}`;
  process.env.npm_config_cache = '/earlier';
  const env = await emptyEnvironment(home, '/checkout');
  for (const gone of ['PARLEY_PORT', 'LIVEKIT_URL', 'npm_execpath', 'NODE_COMPILE_CACHE'])
    expect(env).not.toHaveProperty(gone);
  for (const place of [
    'HOME',
    'XDG_CACHE_HOME',
    'PARLEY_CACHE_DIR',
    'npm_config_cache',
    'PIP_CACHE_DIR',
    'GOMODCACHE',
    'GOCACHE',
  ])
    expect(env[place]?.startsWith(home), place).toBe(true);
  expect(env.PATH).not.toContain('/checkout');
  const settings = ['npm_config_userconfig', 'PIP_CONFIG_FILE', 'GOENV', 'PATH', 'OLDPWD', 'PWD'];
  const places = Object.entries(env).filter(([name]) => !settings.includes(name));
  for (const [name, value] of places) expect(value?.startsWith(`${homedir()}/.cache`), name).not.toBe(true);
});

test('what says how registries are reached is kept', async () => {
  Object.assign(process.env, {
    GOPROXY: 'https://go.example',
    PIP_INDEX_URL: 'https://pip.example',
    HTTPS_PROXY: 'http://p',
  });
  process.env.npm_config_registry = 'https://npm.example';
  process.env.npm_config_userconfig = join(home, '..');
  expect(await emptyEnvironment(home, '/checkout')).toMatchObject({
    GOPROXY: 'https://go.example',
    PIP_INDEX_URL: 'https://pip.example',
    HTTPS_PROXY: 'http://p',
    npm_config_registry: 'https://npm.example',
    npm_config_userconfig: join(home, '..'),
  });
});
