import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProgram, openWholeProgram } from './program.ts';
import { listCommands, words } from './registry.ts';

const parley = ['scripts/parley.ts'] as const;

function run(file: string, ...args: readonly string[]): Promise<{ status: number; out: string; err: string }> {
  const env = { ...process.env, PATH: `node_modules/.bin:${process.env.PATH}` };
  return new Promise((resolve) => {
    const child = execFile(file, args, { env }, (_error, out, err) =>
      resolve({ status: child.exitCode ?? -1, out, err }),
    );
  });
}

const commands = (await listCommands()).map(words);

test('the help lists every command with what it does', async () => {
  const { status, out } = await run('node', ...parley, '--help');
  expect(status).toBe(0);
  expect(out).toContain('Usage: parley <noun> <verb>');
  for (const command of commands) expect(out).toMatch(new RegExp(`^  ${command}\\b.* {2}[A-Z]\\w`, 'm'));
});

test('the help of a command says how it is used', async () => {
  const program = await openWholeProgram();
  for (const command of commands) {
    const [noun, verb] = command.split(' ');
    const found = program.commands.find((one) => one.name() === noun);
    const leaf = verb === undefined ? found : found?.commands.find((one) => one.name() === verb);
    expect(leaf?.helpInformation()).toContain(`Usage: parley ${command} `);
  }
});

test('what others wrote does not command the terminal, in what commands say or in their faults', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-hostile-'));
  await writeFile(
    join(folder, 'desk.yaml'),
    'name: Desk\nprompt: x\nlanguages: [{ code: en, name: E }]\nmodel: { name: "m\\e[2J" }\n',
  );
  const said = await run('node', ...parley, 'agents', 'validate', '--agents', folder);
  expect(said.out).toContain('knows no model "m\\u{1b}[2J"');
  const failed = await run('node', ...parley, 'agents', 'validate', '--policies', '/\x1b[2J');
  expect(failed.err).toContain('\\u{1b}[2J');
  for (const text of [said.out, said.err, failed.out, failed.err]) expect(text).not.toContain('\x1b');
});

test.each(commands)('%s: an option that nobody knows is refused with one sentence', async (command) => {
  const args = [...command.split(' '), '--nonsense'];
  const program = await openProgram(args);
  await expect(program.run(args)).rejects.toThrow("Unknown option '--nonsense'. Add --help to see what there is.");
});

test.each([
  [['agnets', 'validate'], "Unknown command 'agnets'. Did you mean agents?"],
  [['agents', 'validat'], "Unknown command 'validat'. Did you mean validate?"],
  [['agents', 'validate', '--agnets', 'x'], "Unknown option '--agnets'. Did you mean --agents?"],
  [['agents', 'validate', 'x'], "Too many arguments for 'validate'. Expected 0 arguments but got 1: x."],
])('what is misspelt is told with what is like it: %j', async (args, sentence) => {
  const program = await openProgram(args);
  await expect(program.run(args)).rejects.toThrow(`${sentence} Add --help to see what there is.`);
});

test('a noun without a verb tells its verbs', async () => {
  const { status, err } = await run('node', ...parley, 'agents');
  expect(err).toMatch(/^ {2}agents validate {2,}Checks/m);
  expect(status).toBe(1);
});

test.each(['scripts/parley.mjs', 'scripts/bin/parley'])('%s is the same', async (file) => {
  const args = ['agents', 'validate', '--nonsense'];
  expect(await run(file, ...args)).toEqual({
    status: 1,
    out: '',
    err: "Unknown option '--nonsense'. Add --help to see what there is.\n",
  });
});
