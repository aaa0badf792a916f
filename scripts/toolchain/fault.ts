import { statfs } from 'node:fs/promises';

/** Something the person at the terminal can put right. The message is one sentence that says what to do. */
export class Fault extends Error {
  override name = 'Fault';
}

const notAFolder = (where: string) =>
  `${where} is not a folder: remove the file that is in its way, or choose another folder.`;

const sentences: Record<string, (where: string) => string> = {
  ENOSPC: (where) => `The disk is full: free some space for ${where} and start again.`,
  EDQUOT: (where) => `Your disk quota is used up: free some space for ${where} and start again.`,
  EACCES: (where) => `${where} can't be written: give your user write access to it, or choose another folder.`,
  EPERM: (where) => `${where} can't be written: give your user write access to it, or choose another folder.`,
  EROFS: (where) => `${where} is on a read-only file system: choose another folder.`,
  // What mkdir says of a read-only place, too.
  ENOENT: (where) => `${where} can't be made: choose a place where your user may write.`,
  ENOTDIR: notAFolder,
  // What mkdir says when the last part of the path is a file.
  EEXIST: notAFolder,
};

/** The error's system code (`ENOSPC`, `ECONNREFUSED`, …), looked up through its causes. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  return systemCode(error.cause);
}

/** Turns a failed write below `where` into a sentence; every other error is given back as it is. */
export function storageFault(error: unknown, where: string): unknown {
  const sentence = sentences[systemCode(error) ?? ''];
  return sentence ? new Fault(sentence(where), { cause: error }) : error;
}

/** Like `storageFault`, for the output of a program that ran out of disk or rights. */
export function storageFaultInOutput(output: string, where: string): Fault | undefined {
  if (/no space left on device/i.test(output)) return new Fault(sentences.ENOSPC?.(where));
  if (/quota exceeded/i.test(output)) return new Fault(sentences.EDQUOT?.(where));
  if (/read-only file system/i.test(output)) return new Fault(sentences.EROFS?.(where));
  if (/permission denied/i.test(output)) return new Fault(sentences.EACCES?.(where));
  return undefined;
}

const littleBytes = 80 * 1024 * 1024;

/** A fault when so little space is left that a failure without a reason was most likely that. */
export async function littleSpaceFault(folder: string): Promise<Fault | undefined> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize < littleBytes ? new Fault(sentences.ENOSPC?.(folder)) : undefined;
}
