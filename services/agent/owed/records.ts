/** What stands in a file of owed writes: a line a write, sealed for its file and its place in it. */
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

export function unseal(vault: Vault, text: string, name: string): Records {
  const lines = text.split('\n').slice(0, -1);
  const opened = lines.map((line, index) => openedOrNot(vault, line, name, index));
  const owed = opened.filter((one) => one !== undefined);
  return { owed, unreadable: lines.length - owed.length };
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
