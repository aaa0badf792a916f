import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** A process that runs this with a Lifecycle named `lifecycle`, and `say` for its standard output. */
function run(program: string) {
  const [logger, lifecycle] = ['logger.ts', 'lifecycle.ts'].map((name) => new URL(name, import.meta.url).href);
  const modules = `
    const { makeLogger } = await import('${logger}');
    const { Lifecycle, startOrSayWhy } = await import('${lifecycle}');
    const lifecycle = new Lifecycle(makeLogger({ service: 'test', level: 'silent' }));
    const say = (what) => process.stdout.write(what + ' ');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', modules + program]);
  return Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
}

test('what was opened last is closed first, after everybody was told', async () => {
  const [said, , ending] = await run(`
    const status = () => say(lifecycle.readiness().status);
    status();
    lifecycle.closing('close the first', 5_000, () => say('first'));
    lifecycle.closing('close the second', 5_000, () => say('second'));
    lifecycle.stopping.addEventListener('abort', status);
    lifecycle.serve();
    status();
    lifecycle.stop('it is enough');`);
  expect([said.trim(), ending]).toEqual(['starting ok stopping second first', [0, null]]);
});

test('a process that waits for what it needs stops in order, too, and never says that it serves', async () => {
  const [said, , ending] = await run(`
    lifecycle.closing('close the first', 5_000, () => say('first'));
    lifecycle.heed();
    lifecycle.closing('close the second', 5_000, () => say('second'));
    lifecycle.stop('it is enough');
    lifecycle.serve();
    say(lifecycle.readiness().status);`);
  expect([said.trim(), ending]).toEqual(['stopping second first', [0, null]]);
});

test('a process that can not start says why', async () => {
  const [, complaint, ending] = await run(`
    await startOrSayWhy(() => Promise.reject(new Error('There is no database.')));`);
  expect([complaint, ending]).toEqual(['There is no database.\n', [1, null]]);
});
