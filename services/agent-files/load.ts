/** Reads a folder of agents, within bounds, and checks it. */
import { type CheckOptions, checkFiles, type LoadResult, wholeFile } from './check-files.ts';
import { byPosition, type Fault } from './faults.ts';
import type { AgentsFolder, FileProblem } from './read/folder.ts';
import { folderOnDisk } from './read/folder-on-disk.ts';

export type { AgentScenarios, CheckOptions, LoadResult } from './check-files.ts';
export type { Fault, Severity } from './faults.ts';

interface Folder {
  /** Below the folder of agents; empty for itself. */
  path: string;
  extension: '.yaml' | '.md';
  maxBytes: number;
}

/** Twice what a thousand agents have, each with scenarios, a tool and knowledge of its own. */
export const maxFilesInFolder = 2_000;
/** Everything that is read: a thousand agents as large as the largest demo, with their scenarios, have 25 MiB. */
export const maxTotalBytes = 64 * 1024 * 1024;

/** Far above what people write, far below what would hurt the process that reads it. */
export const agentFolders: readonly Folder[] = [
  { path: '', extension: '.yaml', maxBytes: 512 * 1024 },
  { path: 'tools', extension: '.yaml', maxBytes: 128 * 1024 },
  { path: 'knowledge', extension: '.md', maxBytes: 1024 * 1024 },
  { path: 'scenarios', extension: '.yaml', maxBytes: 512 * 1024 },
];

const readAtOnce = 16;

/** All agents of a folder and all faults. Does not throw: a folder that cannot be read is a fault. */
export async function loadAgents(from: string | AgentsFolder, options: CheckOptions = {}): Promise<LoadResult> {
  const reading = await readAgentTexts(from);
  if (!reading.isThere) return nothing('The folder does not exist; create it or name another.');
  const result = checkFiles(reading.texts, options);
  const empty = result.agents.length + result.faults.length + reading.faults.length === 0;
  if (empty) return nothing('The folder has no agent: an agent is a file such as front-desk.yaml.', 'warning');
  return { ...result, faults: [...reading.faults, ...result.faults].toSorted(byPosition) };
}

/** The texts of an agents folder by path, and what could not be read. Does not throw. */
export async function readAgentTexts(
  from: string | AgentsFolder,
): Promise<{ texts: Map<string, string>; faults: Fault[]; isThere: boolean }> {
  const root = typeof from === 'string' ? await folderOnDisk(from) : from;
  if (root === undefined) return { texts: new Map(), faults: [], isThere: false };
  const reading: Reading = { root, texts: new Map(), faults: [], bytes: 0 };
  for (const folder of agentFolders) await readFolder(reading, folder);
  return { ...reading, isThere: true };
}

interface Reading {
  root: AgentsFolder;
  texts: Map<string, string>;
  faults: Fault[];
  bytes: number;
}

const nothing = (message: string, severity: Fault['severity'] = 'error'): LoadResult => ({
  agents: [],
  scenarios: [],
  faults: [{ ...wholeFile('.', 'folder', message), severity }],
});

async function readFolder(reading: Reading, folder: Folder): Promise<void> {
  const all = await reading.root.names(folder.path);
  if (all === undefined) {
    // Taken for empty, it would switch agents off or let them live without their scenarios.
    reading.faults.push(
      wholeFile(folder.path || '.', 'folder', 'This is no folder that can be read; check its name and permissions.'),
    );
    return;
  }
  const names = visible(all);
  const misnamed = names.filter((name) => folder.extension === '.yaml' && name.endsWith('.yml'));
  for (const name of misnamed)
    report(
      reading,
      folder,
      name,
      'file-name',
      `Only files that end in .yaml are read: rename it to ${name.replace(/\.yml$/, '.yaml')}.`,
    );
  const wanted = names.filter((name) => name.endsWith(folder.extension));
  if (wanted.length > maxFilesInFolder) {
    reading.faults.push(
      wholeFile(
        folder.path || '.',
        'too-many-files',
        `The folder has ${wanted.length} files; at most ${maxFilesInFolder} are read.`,
      ),
    );
    return;
  }
  for (let from = 0; from < wanted.length; from += readAtOnce) {
    const names = wanted.slice(from, from + readAtOnce);
    const found = await Promise.all(names.map((name) => reading.root.read(pathIn(folder, name), folder.maxBytes)));
    // In the order of their names: equal folders have equal faults.
    for (const [index, bytes] of found.entries()) keep(reading, folder, { name: names[index] ?? '', bytes });
  }
}

/** Editors and mounts leave hidden files; they are no agents. */
const visible = (names: readonly string[]): string[] => names.filter((name) => !name.startsWith('.')).toSorted();

const pathIn = (folder: Folder, name: string): string => (folder.path === '' ? name : `${folder.path}/${name}`);

function report(reading: Reading, folder: Folder, name: string, rule: string, message: string): void {
  reading.faults.push(wholeFile(pathIn(folder, name), rule, message));
}

function keep(reading: Reading, folder: Folder, { name, bytes }: { name: string; bytes: Buffer | FileProblem }): void {
  const problem = (rule: string, message: string): void => report(reading, folder, name, rule, message);
  if (!Buffer.isBuffer(bytes)) return problem(bytes.rule, bytes.message);
  if (bytes.length > folder.maxBytes)
    return problem('file-size', `The file is larger than ${folder.maxBytes / 1024} KiB; shorten or split it.`);
  reading.bytes += bytes.length;
  if (reading.bytes > maxTotalBytes)
    return problem('file-size', `All files together are larger than ${maxTotalBytes / 1024 / 1024} MiB.`);
  const text = decode(bytes);
  if (text === undefined) return problem('file-encoding', 'The file is not UTF-8 text; save it as UTF-8.');
  reading.texts.set(pathIn(folder, name), text);
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
