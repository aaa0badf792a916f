import type { Git } from '../git/scratch-repository.ts';
import { listTree, readBlobs, type TreeEntry } from '../git/tree.ts';

export interface FileInCommit extends TreeEntry {
  /** Within the agents' folder, such as tools/find.yaml. */
  name: string;
  text: string;
}

/** What loading reads; nothing else of the repository matters here. */
const agentFile = /^(?:(?:tools|scenarios)\/)?[^/.][^/]*\.yaml$|^knowledge\/[^/.][^/]*\.md$/;
const ordinaryFile = /^100(?:644|755)$/;

/**
 * The agents' files in a commit, with paths in the repository. Links and files that are not UTF-8 are left out: loading
 * refuses them.
 */
export async function readAgentFiles(git: Git, commit: string, path: string): Promise<FileInCommit[]> {
  const folder = path === '.' || path === '' ? '' : `${path}/`;
  const entries = (await listTree(git, commit)).filter(
    (entry) =>
      entry.path.startsWith(folder) && ordinaryFile.test(entry.mode) && agentFile.test(entry.path.slice(folder.length)),
  );
  const contents = await readBlobs(git, entries);
  return entries.flatMap((entry, index) => {
    const text = decode(contents[index]);
    return text === undefined ? [] : [{ ...entry, name: entry.path.slice(folder.length), text }];
  });
}

function decode(bytes: Buffer | undefined): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
