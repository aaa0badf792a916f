/** What stands in a file of owed writes: a line a write, sealed for its file and its place in it. */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Vault } from '../../core/credentials/vault.ts';
import type { Owed } from '../../store/tables/owed.ts';

export const endings = { file: '.owed', presence: '.here' };

export interface Records {
  owed: Owed[];
  /** Whole lines that this master key does not open. The last one, torn by a crash, was never accepted and is none of them. */
  unreadable: number;
}

/** @param name of the file, without its folder */
export const seal = (vault: Vault, owed: Owed, name: string, line: number): string =>
  `${vault.seal(JSON.stringify(owed), { owedIn: name, line })}\n`;

/** Read and opened in one turn of the event loop, some hundred lines: conversations of this host go on in between. */
const pieceBytes = 64 * 1024;

/**
 * What stands in a file, in its order.
 * @throws ErrnoException when it cannot be read
 */
export async function unseal(vault: Vault, path: string): Promise<Records> {
  const name = basename(path, endings.file);
  const owed: Owed[] = [];
  let line = 0;
  let rest = '';
  for await (const piece of createReadStream(path, { encoding: 'utf8', highWaterMark: pieceBytes })) {
    const [end = '', ...next] = String(piece).split('\n');
    const lines = next.length > 0 ? [rest + end, ...next.slice(0, -1)] : [];
    rest = next.at(-1) ?? rest + end;
    owed.push(
      ...lines.map((sealed, at) => openedOrNot(vault, sealed, name, line + at)).filter((one) => one !== undefined),
    );
    line += lines.length;
    await setImmediate();
  }
  return { owed, unreadable: line - owed.length };
}

function openedOrNot(vault: Vault, line: string, name: string, index: number): Owed | undefined {
  try {
    const owed = JSON.parse(vault.open(line, { owedIn: name, line: index })) as Owed;
    return 'at' in owed ? { ...owed, at: new Date(owed.at) } : owed;
  } catch {
    // Sealed with another key, or spoiled: it is counted, and the file stays for somebody with the right key.
    return undefined;
  }
}
