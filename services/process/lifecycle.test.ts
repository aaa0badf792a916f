import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

/** A process that runs this with a Lifecycle named `lifecycle`, and `say` for its standard output. */
function run(program: string, env: NodeJS.ProcessEnv = process.env) {
  const [logger, lifecycle] = ['logger.ts', 'lifecycle.ts'].map((name) => new URL(name, import.meta.url).href);
  const modules = `
    const { makeLogger } = await import('${logger}');
    const { Lifecycle, startOrSayWhy } = await import('${lifecycle}');
    const lifecycle = new Lifecycle(makeLogger({ service: 'test', level: 'silent' }));
    const say = (what) => process.stdout.write(what + ' ');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', modules + program], { env });
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

test('a process that is killed after its start leaves its compiled code to the next one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-compiled-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const filesAfter = async (program: string) => {
    const [, , ending] = await run(program, { ...process.env, NODE_COMPILE_CACHE: folder });
    expect(ending).toEqual([null, 'SIGKILL']);
    return (await readdir(folder, { recursive: true })).length;
  };
  // By somebody else: before it kills itself, Node keeps what it has compiled.
  const kill = "(await import('node:child_process')).execFileSync('kill', ['-9', String(process.pid)]);";
  const withoutStart = await filesAfter(kill);
  expect(await filesAfter(`await startOrSayWhy(async () => {}); ${kill}`)).toBeGreaterThan(withoutStart);
});
