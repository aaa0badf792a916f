import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** A process that has a logger and, once its standard input is closed, does this. */
function processThat(does: string): ChildProcess {
  const program = `
    const { makeLogger } = await import('${new URL('logger.ts', import.meta.url).href}');
    const log = makeLogger({ service: 'test', level: 'info' });
    for await (const _ of process.stdin);
    ${does}`;
  return spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
}

test('lines that were written right before the end are all there, in order', async () => {
  // So few that no write of them is under way by then.
  const count = 20;
  const child = processThat(`
    for (let number = 0; number < ${count}; number += 1) log.info({ number }, 'a line');
    process.exit(3);`);
  const [said, [code]] = await Promise.all([
    text(child.stdout as NodeJS.ReadableStream),
    once(child, 'exit'),
    child.stdin?.end(),
  ]);
  const numbers = said.trim().split('\n');
  expect(numbers.map((line) => JSON.parse(line).number)).toEqual(Array.from({ length: count }, (_, index) => index));
  expect(code).toBe(3);
});

test.each([
  ['while its start fails', `log.info('about to fail'); process.exit(1);`],
  ['after an error that nobody caught', `log.fatal('nobody caught it'); log.info('one more'); process.exit(1);`],
])('a process whose output nobody reads any more ends %s', async (_when, does) => {
  const child = processThat(does);
  const ended = once(child, 'exit');
  const closed = once(child.stdout as NodeJS.ReadableStream, 'close');
  child.stdout?.destroy();
  await closed;
  child.stdin?.end();
  expect(await ended).toEqual([1, null]);
});
