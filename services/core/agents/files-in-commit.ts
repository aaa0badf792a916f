import { posix } from 'node:path';
import { GitFailed, type ScratchRepository } from './scratch-repository.ts';

export interface FileInTree {
  /** Within the agents' folder, such as tools/find.yaml. */
  name: string;
  /** Within the repository. */
  path: string;
  /** Git's id of the content. */
  id: string;
  mode: string;
  text: string;
}

type Listed = Omit<FileInTree, 'text'>;

/** What loading reads; nothing else of the repository matters here. */
const agentFile = /^(?:(?:tools|scenarios)\/)?[^/.][^/]*\.yaml$|^knowledge\/[^/.][^/]*\.md$/;
const ordinaryFile = /^100(?:644|755)$/;

/** The agents' files in a commit. Links and files that are not UTF-8 are left out: loading refuses them. */
export async function readAgentFiles({ git }: ScratchRepository, commit: string, path: string): Promise<FileInTree[]> {
  const folder = posix.join(path, '/').replace(/^\.?\//, '');
  const list = (await git(['ls-tree', '-r', '-z', '--full-tree', commit])).toString();
  const listed = list.split('\0').flatMap((line) => parseLine(line, folder));
  const contents = await readBlobs(git, listed);
  return listed.flatMap((file, index) => {
    const text = decode(contents[index]);
    return text === undefined ? [] : [{ ...file, text }];
  });
}

function parseLine(line: string, folder: string): Listed[] {
  const [, mode = '', id = '', path = ''] = /^(\d{6}) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
  if (!path.startsWith(folder) || !ordinaryFile.test(mode)) return [];
  const name = path.slice(folder.length);
  return agentFile.test(name) ? [{ name, path, id, mode }] : [];
}

async function readBlobs(git: ScratchRepository['git'], files: readonly Listed[]): Promise<Buffer[]> {
  const all = await git(['cat-file', '--batch'], { input: files.map(({ id }) => `${id}\n`).join('') });
  let at = 0;
  return files.map(({ id }) => {
    const headEnd = all.indexOf(10, at);
    const size = Number(all.toString('latin1', at, headEnd).split(' ')[2]);
    if (headEnd < 0 || Number.isNaN(size)) throw new GitFailed(`git cat-file: ${id} is not there`);
    at = headEnd + 1 + size + 1;
    return all.subarray(headEnd + 1, headEnd + 1 + size);
  });
}

function decode(bytes: Buffer | undefined): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
