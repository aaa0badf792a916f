import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: Record<string, string> };
/** `npm test` hands its options on to vitest. */
const commands = Object.entries(scripts).filter(([name]) => name !== 'test');

function run(file: string, ...args: string[]) {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { stdout: child.stdout, said: text(child.stderr), ended };
}

test.each(commands)('%s: an option that nobody knows is refused with one sentence', async (_name, command) => {
  const { said, ended } = run(command.split(' ').at(-1) ?? '', '--nonsense');
  expect(await said).toBe("Unknown option '--nonsense'. Add --help to see what there is.\n");
  expect(await ended).toBeGreaterThan(0);
});

test('a command whose output nobody reads any more goes on to its end', async () => {
  const { stdout, said, ended } = run('scripts/parley.ts', 'doctor', '--url', 'http://127.0.0.1:9');
  stdout.destroy();
  expect(await said).toBe('');
  expect(await ended).toBe(1);
});
