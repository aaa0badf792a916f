import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentTag, imageFiles } from '../../scripts/cli/image/content/tag.ts';
import { cachedFolder } from '../../scripts/toolchain/cached.ts';
import { freeTcpPort } from '../../scripts/toolchain/ports.ts';
import { startPostgres } from '../support/databases/postgres.ts';
import { eventually } from '../support/eventually.ts';
import { Customer } from '../support/people/customer.ts';
import { Person } from '../support/people/person.ts';
import { startRoomServer } from '../support/rooms/room-server.ts';

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

/** What the Dockerfile's own command makes of the lock; kept by what it is made of, because it takes 25 s of CPU. */
async function installedPackages(): Promise<string> {
  const install = ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  expect(await readFile(join(root, 'Dockerfile'), 'utf8')).toContain(`npm ${install.join(' ')}`);
  const sources = ['package.json', 'package-lock.json'];
  const texts = await Promise.all(sources.map((name) => readFile(join(root, name), 'utf8')));
  const digest = createHash('sha256')
    .update(JSON.stringify([install, texts]))
    .digest('hex');
  const make = async (draft: string) => {
    for (const name of sources) await cp(join(root, name), join(draft, name));
    await run('npm', [...install, '--prefer-offline'], { cwd: draft });
  };
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  return cachedFolder({ name: `image-packages-${digest.slice(0, 12)}`, make, env: process.env, progress });
}

describe('the files of the image, with the packages of the image and nothing else', () => {
  let app: string;
  let ofDockerfile: Record<string, string>;

  beforeAll(async () => {
    app = await newFolder();
    for (const path of await imageFiles(root)) await cp(join(root, path), join(app, path));
    const packages = join(await installedPackages(), 'node_modules');
    const copy = (...how: string[]) => run('cp', ['--archive', ...how, packages, app]);
    // As links it takes 1 s of CPU instead of 8, where the cache is on the same disk.
    await copy('--link').catch(() => copy());
    const compiled = join(app, 'compiled');
    await mkdir(compiled);
    // Nothing in it can be written to, also where the tests run as somebody who owns it, but for what its build keeps of the
    // programs: as there, they leave it as they end at once, told nothing, which the first stories have them do.
    await run('chmod', ['-R', 'u+rX,go+rX,a-w', app]);
    await run('chmod', ['a+w', compiled]);
    const said = (await readFile(join(root, 'Dockerfile'), 'utf8')).matchAll(/^ENV (NODE_.*)$/gm);
    ofDockerfile = Object.fromEntries(
      [...said].flatMap(([, line = '']) => line.split(' ')).map((one) => one.replaceAll('/app/', `${app}/`).split('=')),
    );
    ofDockerfile.PATH = ofDockerfile.PATH?.replace('$PATH', '/usr/bin:/bin') ?? '';
  }, 10 * minute);

  afterAll(() => run('chmod', ['-R', 'u+w', app]));

  /** As the image's user, who owns none of these files; only root may become somebody else. */
  const asImageUser = process.getuid?.() === 0 ? { uid: 10_001, gid: 10_001 } : {};

  /** By the image's own Node, with what the image says of the environment and nothing of ours: no HOME but its own. */
  function startInImage([program = '', ...args]: readonly string[], env: Record<string, string>): ChildProcess {
    return spawn(program, args, {
      cwd: app,
      env: { ...ofDockerfile, ...env },
      ...asImageUser,
    });
  }

  async function runInImage(command: readonly string[], env: Record<string, string> = {}) {
    const process = startInImage(command, env);
    const output = outputOf(process);
    const tooLong = setTimeout(() => process.kill('SIGKILL'), minute);
    const [code] = (await once(process, 'close')) as [number | null];
    clearTimeout(tooLong);
    return { code, output: output() };
  }

  test('its processes run on the Node that the tests run on', async () => {
    const { output } = await runInImage(['node', '--version']);
    expect(output).toBe(`${process.version}\n`);
  });

  const services = ['api', 'worker', 'agent'] as const;
  const commands = [...services.map((service) => `services/${service}/main.ts`), 'scripts/prepare.ts'];

  test.for(commands)('%s starts, and says which variables it needs', async (script) => {
    const { code, output } = await runInImage(['node', script]);
    expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('PARLEY_DATABASE_URL') });
    expect(output).not.toContain('Cannot find');
  });

  test(
    'prepares a database, and its processes are healthy on it and hold a conversation',
    async () => {
      await using postgres = await startPostgres();
      const internal = { api: await freeTcpPort(), worker: await freeTcpPort(), agent: await freeTcpPort() };
      await using rooms = await startRoomServer({ webhookUrl: `http://127.0.0.1:${internal.api}/room-events` });
      const agents = await newFolder();
      await cp(join(root, 'agents'), agents, { recursive: true });
      await run('chmod', ['-R', 'a+rX', agents]);
      const port = await freeTcpPort();
      const env = {
        PARLEY_DATABASE_URL: `postgres://parley_service:for-tests-only@127.0.0.1:${postgres.port}/postgres`,
        PARLEY_TENANT: 'acme',
        PARLEY_ENVIRONMENT: 'production',
        PARLEY_MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
        PARLEY_AGENTS_DIR: agents,
        PARLEY_AGENT_VARIABLES: 'DEMO_TOOLS_URL',
        PARLEY_PORT: String(port),
        LIVEKIT_URL: rooms.url,
        LIVEKIT_API_KEY: rooms.apiKey,
        LIVEKIT_API_SECRET: rooms.apiSecret,
      };
      const prepared = await runInImage(['node', 'scripts/prepare.ts'], {
        ...env,
        PARLEY_DATABASE_ADMIN_URL: postgres.adminUrl,
      });
      expect(prepared).toMatchObject({ code: 0, output: expect.stringContaining('the tenant is "acme"') });

      const started = services.map((service) => {
        const own = { PARLEY_INTERNAL_PORT: String(internal[service]) };
        const process = startInImage(['node', `services/${service}/main.ts`], { ...env, ...own });
        return { service, own, process, output: outputOf(process) };
      });
      try {
        expect(
          (await runInImage(['node', 'scripts/alive.ts'], { PARLEY_INTERNAL_PORT: String(await freeTcpPort()) })).code,
        ).toBe(1);
        for (const { service, own, output } of started)
          await eventually(
            `the health check of ${service} is well`,
            async () => (await runInImage(['node', 'scripts/alive.ts'], own)).code === 0,
            { withinMs: minute },
          ).catch((error: Error) => {
            throw new Error(`${error.message}\n${output()}`);
          });
        const key = await eventually('an agent is live', async () => {
          const { output } = await runInImage(['parley', 'credentials', 'show', 'support'], env);
          return /pk_[A-Za-z0-9_-]{43}/.exec(output)?.[0];
        }).catch((error: Error) => {
          throw new Error(`${error.message}\n${started.map(({ output }) => output()).join('\n')}`);
        });
        const customer = new Customer(`http://127.0.0.1:${port}`, key);
        const session = await eventually('a session', () => customer.createSession({ interactionMode: 'TEXT' }));
        await using person = await Person.join(session);
        await person.ask('Hello');
      } finally {
        await Promise.all(started.map(({ process }) => ended(process)));
      }
    },
    5 * minute,
  );
});

function outputOf(process: ChildProcess): () => string {
  let output = '';
  for (const stream of [process.stdout, process.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk).slice(-20_000);
    });
  return () => output;
}

async function ended(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const exit = once(process, 'exit');
  process.kill('SIGKILL');
  await exit;
}

test('its base is pinned by digest, and its user is nobody in particular', async () => {
  const lines = (await readFile(join(root, 'Dockerfile'), 'utf8')).split('\n');
  const bases = lines.filter((line) => line.startsWith('FROM '));
  expect(bases).toHaveLength(4);
  for (const base of bases)
    expect(base).toMatch(/^FROM node:24-bookworm-slim@sha256:[0-9a-f]{64}( AS (packages|pages|speech))?$/);
  expect(lines).toContain('USER 10001:10001');
});
