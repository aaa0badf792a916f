import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentTag, imageFiles } from '../../scripts/image/content.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const minute = 60_000;

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(files: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-image-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

describe('the tag', () => {
  const small = {
    Dockerfile: 'FROM scratch',
    '.dockerignore': '*\n!package.json\n!services\n**/*.test.ts\n**/dist',
    'package.json': '{}',
    'services/api/main.ts': 'start();',
    'services/api/main.test.ts': 'test();',
    'services/widget/dist/widget.js': 'old',
    'docs/page.md': 'words',
  };

  test('is the same for the same content in another place', async () => {
    const [first, second] = [await newFolder(small), await newFolder(small)];
    expect(await contentTag(first)).toBe(await contentTag(second));
  });

  test.for(['Dockerfile', '.dockerignore', 'package.json', 'services/api/main.ts'])('changes with %s', async (path) => {
    const changed = { ...small, [path]: `${small[path as keyof typeof small]}\n` };
    expect(await contentTag(await newFolder(changed))).not.toBe(await contentTag(await newFolder(small)));
  });

  test.for(['services/api/main.test.ts', 'services/widget/dist/widget.js', 'docs/page.md'])(
    'does not change with %s, which is not in the image',
    async (path) => {
      const changed = { ...small, [path]: 'something else' };
      expect(await contentTag(await newFolder(changed))).toBe(await contentTag(await newFolder(small)));
    },
  );
});

describe('the files of the image, with the packages of the image and nothing else', () => {
  let app: string;
  let ofDockerfile: Record<string, string>;

  beforeAll(async () => {
    app = await newFolder();
    for (const path of await imageFiles(root)) await cp(join(root, path), join(app, path));
    const install = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    expect(await readFile(join(root, 'Dockerfile'), 'utf8')).toContain(`npm ${install.slice(0, -1).join(' ')}`);
    await run('npm', install, { cwd: app });
    await chmod(app, 0o755);
    const said = /^ENV (.*)$/m.exec(await readFile(join(root, 'Dockerfile'), 'utf8'))?.[1] ?? '';
    ofDockerfile = Object.fromEntries(said.split(' ').map((assignment) => assignment.split('=')));
  }, 10 * minute);

  /** As the image's user, who owns none of these files; only root may become somebody else. */
  const asImageUser = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};

  async function runInImage(script: string, env: Record<string, string> = {}) {
    const options = { cwd: app, env: { ...ofDockerfile, ...env }, timeout: minute, ...asImageUser };
    return run(process.execPath, [script], options).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        output: stdout + stderr,
      }),
    );
  }

  const commands = ['services/api/main.ts', 'services/worker/main.ts', 'services/agent/main.ts', 'scripts/prepare.ts'];

  test.for(commands)('%s starts, and says which variables it needs', async (script) => {
    const { code, output } = await runInImage(script);
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('PARLEY_DATABASE_URL') });
    expect(output).not.toContain('Cannot find');
  });

  test('the health check is well while the process answers, and unwell when it does not', async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/livez' ? 200 : 404).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const env = { PARLEY_INTERNAL_PORT: String((server.address() as AddressInfo).port) };
    expect((await runInImage('scripts/alive.ts', env)).code).toBe(0);
    server.close();
    expect((await runInImage('scripts/alive.ts', env)).code).toBe(1);
  });
});

test('its base is pinned by digest, and its user is nobody in particular', async () => {
  const lines = (await readFile(join(root, 'Dockerfile'), 'utf8')).split('\n');
  const bases = lines.filter((line) => line.startsWith('FROM '));
  expect(bases).toHaveLength(3);
  for (const base of bases)
    expect(base).toMatch(/^FROM node:24-bookworm-slim@sha256:[0-9a-f]{64}( AS (packages|speech))?$/);
  expect(lines).toContain('USER 10001:10001');
});
