import { readFile } from 'node:fs/promises';
import { ownCores } from './cores.ts';

/** Ticks that these cores have worked since the machine started. */
async function busyTicks(cores: readonly number[]): Promise<number> {
  const stat = await readFile('/proc/stat', 'utf8');
  return cores.reduce((sum, core) => {
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
      new RegExp(`^cpu${core} (.*)$`, 'm').exec(stat)?.[1]?.split(' ').map(Number) ?? [];
    return sum + user + nice + system + irq + softirq;
  }, 0);
}

/** Ticks of this process and of all that it has started and seen end. */
async function ownTicks(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Ticks of Linux are hundredths of a second. */
const ticksPerSecond = 100;

/**
 * Watches from now on what others take of the cores that this process may use, as a share of them: a latency that was measured
 * beside other work tells of that work. What is measured must have ended when it is asked. Undefined where Linux does not tell.
 */
export async function watchForeignWork(): Promise<() => Promise<number | undefined>> {
  const cores = await ownCores();
  if (cores.length === 0) return async () => undefined;
  const look = async () => (await busyTicks(cores)) - (await ownTicks());
  const [before, began] = [await look(), performance.now()];
  return async () => {
    const ticks = ((performance.now() - began) / 1000) * ticksPerSecond * cores.length;
    return Math.max(0, ((await look()) - before) / ticks);
  };
}
