import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** A process that stops by these steps, after `before`; it says when it listens for signals. */
function processWith(steps: string, before = ''): ChildProcess {
  const modules = ['logger.ts', 'stop-signal.ts'].map((name) => new URL(name, import.meta.url).href);
  const program = `
    const { makeLogger } = await import('${modules[0]}');
    const { onStopSignal } = await import('${modules[1]}');
    ${before}
    setInterval(() => {}, 1000);
    onStopSignal(makeLogger({ service: 'test', level: 'silent' }), ${steps});
    process.stdout.write('listening');`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

const said = async (child: ChildProcess) => String((await once(child.stdout as NodeJS.ReadableStream, 'data'))[0]);
const ending = (child: ChildProcess) => once(child, 'exit');

test('a process stops when its launcher is gone, and also when that went while it was starting', async () => {
  const child = processWith('[]');
  await said(child);
  const ended = ending(child);
  child.disconnect();
  expect(await ended).toEqual([0, null]);

  const starting = processWith(
    '[]',
    "process.stdout.write('starting'); await new Promise((r) => process.on('disconnect', r));",
  );
  expect(await said(starting)).toBe('starting');
  const late = ending(starting);
  starting.disconnect();
  expect(await late).toEqual([0, null]);
});

test.each([
  ['an error', 'setTimeout(() => { throw new Error() }, 10)'],
  ['a failed promise', 'setTimeout(() => Promise.reject(new Error()), 10)'],
])('%s that nobody caught stops a process in order, and it ends with a fault', async (_what, crash) => {
  const child = processWith(`[['say so', 5_000, () => process.stdout.write('in order')]]`, `${crash};`);
  const [words, ended] = [text(child.stdout as NodeJS.ReadableStream), ending(child)];
  expect(await ended).toEqual([1, null]);
  expect(await words).toContain('in order');
});

test('a step that takes too long is left behind, and the process ends with a fault', async () => {
  const child = processWith(
    `[['wait for ever', 50, () => new Promise(() => {})], ['fail', 50, () => Promise.reject(new Error())]]`,
  );
  await said(child);
  const ended = ending(child);
  child.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
});

test('a step that holds up the whole process does not keep it alive', async () => {
  const child = processWith(`[['hold everything up', 50, () => { for (;;); }]]`);
  await said(child);
  const ended = ending(child);
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGKILL']);
});
