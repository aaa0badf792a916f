import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freeTcpPort } from './ports.ts';

const run = promisify(execFile);

/** So many ports, found by another process, which has ended when they come. */
async function foundElsewhere(count: number, whileItLives: (ports: readonly number[]) => Promise<void>): Promise<void> {
  const script = `
    const { freeTcpPort } = await import(${JSON.stringify(new URL('./ports.ts', import.meta.url).href)});
    const ports = [];
    for (let i = 0; i < ${count}; i += 1) ports.push(await freeTcpPort());
    console.log(JSON.stringify(ports));
    process.stdin.resume();`;
  const running = run(process.execPath, ['--input-type=module', '--eval', script]);
  const ports = await new Promise<number[]>((resolve) => {
    running.child.stdout?.once('data', (line: Buffer) => resolve(JSON.parse(line.toString())));
  });
  await whileItLives(ports);
  running.child.stdin?.end();
  await running;
}

test('no port is given to two processes that live, though nobody listens on it yet', async () => {
  await foundElsewhere(500, async (theirs) => {
    const ours: number[] = [];
    for (let i = 0; i < 500; i += 1) ours.push(await freeTcpPort());
    expect(new Set([...ours, ...theirs]).size).toBe(1_000);
  });
});
