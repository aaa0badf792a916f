import { readFile } from 'node:fs/promises';
import { childrenOf } from '../../scripts/toolchain/processes.ts';

/** Of Linux, on every machine it runs on today. */
const ticksPerSecond = 100;

/** Seconds of processor time that this process has used. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) / ticksPerSecond : 0;
}

/** The process and all that it has started, directly or not. */
export async function treeOf(pid: number): Promise<number[]> {
  const children = await childrenOf(pid);
  return [pid, ...(await Promise.all(children.map(treeOf))).flat()];
}

/** Measures what a process and all below it use of a core from now on: 1 is one core all the time. */
export async function startCpuMeter(pid: number): Promise<() => Promise<number>> {
  const before = new Map(await usage(pid));
  const began = performance.now();
  return async () => {
    const after = await usage(pid);
    const seconds = (performance.now() - began) / 1000;
    return after.reduce((sum, [id, used]) => sum + used - (before.get(id) ?? 0), 0) / seconds;
  };
}

const usage = async (pid: number): Promise<[number, number][]> =>
  Promise.all((await treeOf(pid)).map(async (id): Promise<[number, number]> => [id, await cpuSecondsOf(id)]));
