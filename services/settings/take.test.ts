import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { takeVariables, withSecretFiles } from './take.ts';
import { variables } from './write.ts';

const masterKeys = `k1:${Buffer.alloc(32).toString('base64')}`;

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-secrets-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

test('what is secret leaves the environment once it is taken, and the rest stays', () => {
  const env: Record<string, string | undefined> = {
    ...{ PATH: '/bin', OPENAI_API_KEY: 'sk', CRM_TOKEN: 'crm', GIT: 'token', OTHER: 'x' },
    ...variables({ masterKeys, agentVariables: ['CRM_TOKEN'], port: 1, repository: { tokenEnv: 'GIT' } }),
  };
  const taken = takeVariables(env);
  expect(taken).toMatchObject({ OPENAI_API_KEY: 'sk', CRM_TOKEN: 'crm', GIT: 'token', PARLEY_MASTER_KEYS: masterKeys });
  expect(Object.keys(env).sort()).toEqual([
    'OTHER',
    'PARLEY_AGENTS_GIT_TOKEN_ENV',
    'PARLEY_AGENT_VARIABLES',
    'PARLEY_PORT',
    'PATH',
  ]);
});

test('secrets are read from files, which go before variables, without the line break that ends them', async () => {
  const secretsFolder = await folderOf({
    CRM_TOKEN: 'from a file\n',
    PARLEY_MASTER_KEYS: masterKeys,
    'notes.txt': 'x',
  });
  // As a mount of a cluster has them.
  await mkdir(join(secretsFolder, '..data'));
  await writeFile(join(secretsFolder, '..data', 'KEY'), 'linked');
  await symlink(join('..data', 'KEY'), join(secretsFolder, 'KEY'));
  const given = { CRM_TOKEN: 'from the environment', ...variables({ secretsFolder }) };
  const { PARLEY_SECRETS_DIR: _, ...taken } = withSecretFiles(given);
  expect(taken).toEqual({ CRM_TOKEN: 'from a file', KEY: 'linked', PARLEY_MASTER_KEYS: masterKeys });
});

test('a folder of secrets that is not there is a fault of the configuration', () => {
  expect(() => takeVariables(variables({ secretsFolder: '/nowhere/at/all' }))).toThrow(
    /PARLEY_SECRETS_DIR cannot be used: ENOENT/,
  );
});

test('what a process starts after that does not inherit what is secret', async () => {
  const program = `
    import { execFileSync } from 'node:child_process';
    import { takeVariables } from ${JSON.stringify(new URL('./take.ts', import.meta.url).href)};
    const taken = takeVariables(process.env);
    process.stdout.write(JSON.stringify([taken.PARLEY_MASTER_KEYS, execFileSync('env').toString()]));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, ...variables({ masterKeys }) },
  });
  const [taken, inherited] = JSON.parse(stdout) as [string, string];
  expect(taken).toBe(masterKeys);
  expect(inherited).not.toContain(masterKeys);
});
