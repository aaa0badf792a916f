import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** Memory of one process in MB (10^6 bytes), as Linux accounts it. */
export interface Memory {
  rss: number;
  /** Its share of what it shares with others, and all that is its own. */
  pss: number;
  /** What would be free if this process alone ended. */
  private: number;
}

const rollup = (pid: number) => readFile(`/proc/${pid}/smaps_rollup`, 'utf8');

export async function memoryOf(pid: number): Promise<Memory> {
  const text = await rollup(pid);
  const field = (name: string) => (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) * 1024) / 1e6;
  return { rss: field('Rss'), pss: field('Pss'), private: field('Private_Clean') + field('Private_Dirty') };
}

const settleMs = 20_000;
const looks = 10;

/** After what was just done has calmed down: the least of a few looks, because a garbage collection may be due. */
export async function settledMemoryOf(pid: number): Promise<Memory> {
  let least: Memory | undefined;
  for (let i = 0; i < looks; i += 1) {
    await pause(settleMs / looks);
    const now = await memoryOf(pid);
    if (!least || now.pss < least.pss) least = now;
  }
  if (!least) throw new Error(`the memory of process ${pid} could not be read`);
  return least;
}

export async function hasMemoryAccounts(): Promise<boolean> {
  return rollup(process.pid).then(
    () => true,
    () => false,
  );
}
